package dev.holdfast.server.api;

import dev.holdfast.LockView;
import dev.holdfast.server.history.Holding;
import dev.holdfast.server.wire.EventStream;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Somebody who reads what becomes of all locks, and what they may hear of. A reader gets small events, and the next one only
 * when it has taken those before. An event is made of the newest look when it is sent: a reader that is slower than the locks
 * change is told less often, but always the newest, and nothing is kept for it but its place. Its monitor guards that place.
 */
final class NewsReader {
    /** About how many bytes there are in an event, unless one lock alone has more. */
    private static final int EVENT_BYTES = 16 << 10;

    private static final int NAME_BYTES = 16;
    private static final int MOST_LOSSES = 500;
    private static final long NOTHING = -1;

    private final EventStream stream;
    private final Client client;
    private final Predicate<String> hears;
    private final News news;
    private final long patienceNanos;

    /** The number of the look up to which the reader knows everything, or {@link #NOTHING}. */
    private long told = NOTHING;

    /** Older looks are not told: they may be from before the reader came, or from before the store fell silent. */
    private long notBefore;

    /** How many losses there were when the reader was told of the last one. */
    private long lossesTold;

    private @Nullable Pass pass;
    private @Nullable String trouble;

    /** An event, ready to be sent. */
    private record Event(String kind, Object data) {}

    /** The way from what the reader knows to a look: through the locks in order, then through the names that are gone. */
    private static final class Pass {
        private final boolean snapshot;
        private final long upTo;
        private String after = "";
        private boolean first = true;
        private boolean atGone;
        private int goneTold;

        Pass(boolean snapshot, long upTo) {
            this.snapshot = snapshot;
            this.upTo = upTo;
        }
    }

    /**
     * Begins.
     *
     * @param stream where to
     * @param client who reads
     * @param hears which names the reader may hear of
     * @param news what there is
     * @param patienceNanos how long the reader may take nothing
     */
    NewsReader(EventStream stream, Client client, Predicate<String> hears, News news, long patienceNanos) {
        this.stream = stream;
        this.client = client;
        this.hears = hears;
        this.news = news;
        this.patienceNanos = patienceNanos;
        this.notBefore = news.state().look().number() + 1;
        stream.onReady(this::sendOn);
    }

    EventStream stream() {
        return stream;
    }

    Client client() {
        return client;
    }

    /** The store does not answer: what comes next is a snapshot. */
    synchronized void trouble(String detail) {
        told = NOTHING;
        pass = null;
        trouble = detail;
        notBefore = news.state().look().number() + 1;
        sendOn();
    }

    /** There was a look. */
    synchronized void tell() {
        sendOn();
        boolean more = pass != null || told < news.state().look().number();
        if (more && stream.isStuckFor(patienceNanos)) {
            stream.cut("this reader has taken nothing for " + patienceNanos / 1_000_000 + " ms");
        }
    }

    private synchronized void sendOn() {
        while (stream.keepsUp()) {
            Event next = next();
            if (next == null) {
                return;
            }
            stream.send(next.kind, next.data);
        }
    }

    private @Nullable Event next() {
        String detail = trouble;
        if (detail != null) {
            trouble = null;
            return new Event("trouble", Map.of("detail", detail));
        }
        News.State state = news.state();
        Look look = state.look();
        if (look.number() < notBefore) {
            return null;
        }
        // A loss is told while the lock is still known.
        Event loss = told == NOTHING ? null : loss(state);
        if (loss != null) {
            return loss;
        }
        while (pass != null || told != look.number()) {
            Pass now = pass == null ? begin(state) : pass;
            Event event = now.snapshot ? part(now, look) : change(now, look);
            if (event != null) {
                return event;
            }
        }
        return null;
    }

    private @Nullable Event loss(News.State state) {
        lossesTold = Math.max(lossesTold, state.losses() - MOST_LOSSES);
        while (lossesTold < state.losses()) {
            List<Holding> next = news.losses(lossesTold, ++lossesTold);
            if (!next.isEmpty() && hears.test(next.get(0).name())) {
                return new Event("loss", json(next.get(0)));
            }
        }
        return null;
    }

    private static Map<String, @Nullable Object> json(Holding lost) {
        Holding.Ending ending = lost.ending();
        Map<String, @Nullable Object> data = new LinkedHashMap<>();
        data.put("name", lost.name());
        data.put("token", Long.toString(lost.token()));
        data.put("client", lost.client());
        data.put("label", lost.label());
        data.put("reason", ending == null ? null : ending.how());
        data.put("by", ending == null ? null : ending.by());
        data.put("why", ending == null ? null : ending.why());
        return data;
    }

    private Pass begin(News.State state) {
        boolean snapshot = told == NOTHING || !news.knowsGoneSince(told);
        if (snapshot) {
            told = NOTHING;
            lossesTold = state.losses();
        }
        Pass begun = new Pass(snapshot, state.look().number());
        pass = begun;
        return begun;
    }

    private void end(Pass done) {
        told = done.upTo;
        pass = null;
    }

    /** {@return the next part of a snapshot} */
    private Event part(Pass now, Look look) {
        List<LockView> views = new ArrayList<>();
        boolean last = take(now, look.seen(), NOTHING, views);
        Map<String, @Nullable Object> data = locks(views);
        data.put("first", now.first);
        data.put("last", last);
        data.put("truncated", look.truncated());
        now.first = false;
        if (last) {
            end(now);
        }
        return new Event("snapshot", data);
    }

    /** {@return the next event with what is new; null if there is nothing more} */
    private @Nullable Event change(Pass now, Look look) {
        if (!news.knowsGoneSince(told)) {
            told = NOTHING;
            pass = null;
            return null;
        }
        if (!now.atGone) {
            // Mostly the reader knows the look before.
            boolean onlyFresh = told == look.number() - 1;
            List<LockView> views = new ArrayList<>();
            now.atGone = take(now, onlyFresh ? look.fresh() : look.seen(), told, views);
            if (!views.isEmpty()) {
                return new Event("changed", locks(views));
            }
        }
        List<String> names = new ArrayList<>();
        int bytes = 0;
        for (String name : news.gone(told, now.upTo, now.goneTold)) {
            int more = NAME_BYTES + ViewJson.bytes(name);
            if (!names.isEmpty() && bytes + more > EVENT_BYTES) {
                return new Event("gone", Map.of("names", names));
            }
            now.goneTold++;
            if (hears.test(name) && !look.seen().containsKey(name)) {
                names.add(name);
                bytes += more;
            }
        }
        end(now);
        return names.isEmpty() ? null : new Event("gone", Map.of("names", names));
    }

    /** Takes as many as an event may have, and tells whether there are no more. */
    private boolean take(Pass now, NavigableMap<String, Look.Seen> from, long newerThan, List<LockView> views) {
        int bytes = 0;
        Iterator<Look.Seen> rest = from.tailMap(now.after, false).values().iterator();
        while (rest.hasNext()) {
            Look.Seen next = rest.next();
            LockView view = next.view();
            if (next.changedIn() > newerThan && hears.test(view.name())) {
                int more = ViewJson.bytes(view);
                if (!views.isEmpty() && bytes + more > EVENT_BYTES) {
                    return false;
                }
                views.add(view);
                bytes += more;
            }
            now.after = view.name();
        }
        return true;
    }

    private static Map<String, @Nullable Object> locks(List<LockView> views) {
        Map<String, @Nullable Object> data = new LinkedHashMap<>();
        data.put("locks", ViewJson.of(views));
        return data;
    }
}
