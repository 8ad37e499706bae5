package dev.holdfast.server.api;

import dev.holdfast.LockView;
import dev.holdfast.server.wire.EventStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Somebody who reads what becomes of all locks, and what they may hear of. A reader gets small events, and the next one only
 * when it has taken those before. If it is slower than the locks change, it is told less often, but always the newest. Its
 * monitor keeps the events in order.
 */
final class NewsReader {
    /** About how many bytes there are in an event, unless one lock alone has more. */
    private static final int EVENT_BYTES = 16 << 10;

    private static final int NAME_BYTES = 16;
    private static final int MOST_LOSSES = 500;

    private final EventStream stream;
    private final Predicate<String> hears;
    private final long patienceNanos;
    private final Deque<Event> unsent = new ArrayDeque<>();
    private final Deque<Look.Loss> losses = new ArrayDeque<>();

    /** What the reader knows when the unsent events are sent; null if it has to be told everything. */
    private @Nullable Look told;

    /** It refers to what a look has found; its text is made when it is sent. */
    private record Event(String kind, Supplier<Map<String, Object>> data) {}

    /**
     * Begins.
     *
     * @param stream where to
     * @param hears which names the reader may hear of
     * @param patienceNanos how long the reader may take nothing
     */
    NewsReader(EventStream stream, Predicate<String> hears, long patienceNanos) {
        this.stream = stream;
        this.hears = hears;
        this.patienceNanos = patienceNanos;
        stream.onReady(this::sendOn);
    }

    EventStream stream() {
        return stream;
    }

    /** The store does not answer: what comes next is a snapshot. */
    synchronized void trouble(String detail) {
        told = null;
        losses.clear();
        unsent.clear();
        unsent.add(new Event("trouble", () -> Map.of("detail", detail)));
        sendOn();
    }

    /**
     * There was a look.
     *
     * @param now what was seen
     * @param newLosses what was lost since the look before; null if that was too long ago to tell
     */
    synchronized void tell(Look now, @Nullable List<Look.Loss> newLosses) {
        if (newLosses == null) {
            told = null;
            losses.clear();
        } else if (told != null) {
            newLosses.stream().filter(loss -> hears.test(loss.name())).forEach(losses::add);
            while (losses.size() > MOST_LOSSES) {
                losses.remove();
            }
        }
        if (unsent.isEmpty()) {
            plan(now);
        }
        sendOn();
        if (!unsent.isEmpty() && stream.isStuckFor(patienceNanos)) {
            stream.cut("this reader has taken nothing for " + patienceNanos / 1_000_000 + " ms");
        }
    }

    private void plan(Look now) {
        Look old = told;
        if (old == null) {
            snapshot(now);
        } else {
            // A loss is told while the lock is still known.
            losses.forEach(loss -> unsent.add(new Event("loss", loss::data)));
            losses.clear();
            List<LockView> changed = mine(now.changedSince(old));
            parts(changed, ViewJson::bytes, some -> unsent.add(new Event("changed", () -> locks(some))));
            List<String> gone = now.goneSince(old).stream().filter(hears).toList();
            parts(
                    gone,
                    name -> NAME_BYTES + ViewJson.bytes(name),
                    some -> unsent.add(new Event("gone", () -> Map.of("names", some))));
        }
        told = now;
    }

    private void snapshot(Look now) {
        List<List<LockView>> parts = new ArrayList<>();
        parts(mine(now.views().values()), ViewJson::bytes, parts::add);
        if (parts.isEmpty()) {
            parts.add(List.of());
        }
        for (int i = 0; i < parts.size(); i++) {
            List<LockView> some = parts.get(i);
            boolean first = i == 0;
            boolean last = i == parts.size() - 1;
            unsent.add(new Event("snapshot", () -> {
                Map<String, Object> part = locks(some);
                part.put("first", first);
                part.put("last", last);
                part.put("truncated", now.truncated());
                return part;
            }));
        }
    }

    private List<LockView> mine(Iterable<LockView> views) {
        List<LockView> mine = new ArrayList<>();
        views.forEach(view -> {
            if (hears.test(view.name())) {
                mine.add(view);
            }
        });
        return mine;
    }

    private static Map<String, Object> locks(List<LockView> views) {
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("locks", ViewJson.of(views));
        return data;
    }

    private static <T> void parts(List<T> all, ToIntFunction<T> bytesOf, Consumer<List<T>> part) {
        int from = 0;
        int bytes = 0;
        for (int i = 0; i < all.size(); i++) {
            int more = bytesOf.applyAsInt(all.get(i));
            if (i > from && bytes + more > EVENT_BYTES) {
                part.accept(all.subList(from, i));
                from = i;
                bytes = 0;
            }
            bytes += more;
        }
        if (from < all.size()) {
            part.accept(all.subList(from, all.size()));
        }
    }

    private synchronized void sendOn() {
        while (!unsent.isEmpty() && stream.keepsUp()) {
            Event next = unsent.remove();
            stream.send(next.kind, next.data.get());
        }
    }
}
