package dev.holdfast.server.api;

import dev.holdfast.HoldfastException;
import dev.holdfast.LockView;
import dev.holdfast.server.lease.Secret;
import dev.holdfast.server.lease.StoreLink;
import dev.holdfast.server.lease.StoreThreads;
import dev.holdfast.server.wire.Call;
import dev.holdfast.server.wire.EventStream;
import dev.holdfast.server.wire.Problem;
import dev.holdfast.server.wire.Problem.Code;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * {@code GET /v1/events}: what becomes of all locks. While somebody listens the store is looked at every second, once for
 * all listeners, and each is told what has changed. A loss is what can be seen of it from outside: an eviction, or a
 * holder that is gone whose lease was about to run out.
 */
final class LockNews {
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long BEAT_NANOS = TimeUnit.SECONDS.toNanos(15);
    private static final int MOST_PER_EVENT = 500;
    private static final int MOST_LOSSES_PER_LOOK = 100;
    /** Two snapshots of as many locks as are listed at most: one is sent at once, faster than anybody reads. */
    private static final int UNREAD_BYTES = 16 << 20;

    private static final Duration TOLERANCE = Duration.ofMillis(250);

    private final StoreLink link;
    private final StoreThreads threads;
    private final StreamCount count;
    private final Set<Listener> listeners = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean looking = new AtomicBoolean();
    private final AtomicBoolean started = new AtomicBoolean();

    /** The newest look; written by one look after the other. */
    private volatile Look newest = new Look(new TreeMap<>(), false, 0);

    private record Look(Map<String, LockView> views, boolean truncated, long atNanos) {}

    private record Loss(String name, Map<String, @Nullable Object> data) {}

    LockNews(StoreLink link, StoreThreads threads, StreamCount count) {
        this.link = link;
        this.threads = threads;
        this.count = count;
    }

    void open(Call call, Client client) {
        client.need(Client.Role.LOOK);
        Map<String, String> query = call.target().query();
        if (!Set.of("prefix").containsAll(query.keySet())) {
            throw new Problem(Code.INVALID, "the query knows only 'prefix'");
        }
        String prefix = query.getOrDefault("prefix", "");
        count.take();
        EventStream stream = call.stream();
        if (stream == null) {
            count.giveBack();
            return;
        }
        stream.allowUnread(UNREAD_BYTES);
        Listener listener = new Listener(stream, name -> name.startsWith(prefix) && client.maySee(name));
        listeners.add(listener);
        stream.onGone(() -> forget(listener));
        if (started.compareAndSet(false, true)) {
            threads.every(LOOK_NANOS, this::lookIfWanted);
            threads.every(BEAT_NANOS, () -> listeners.forEach(each -> each.stream.beat()));
        }
        lookIfWanted();
    }

    private void forget(Listener listener) {
        if (listeners.remove(listener)) {
            count.giveBack();
        }
    }

    void stop() {
        listeners.forEach(listener -> {
            forget(listener);
            listener.stream.send("stopping", Map.of());
            listener.stream.end();
        });
    }

    private void lookIfWanted() {
        if (listeners.isEmpty() || !looking.compareAndSet(false, true)) {
            return;
        }
        boolean handedOver = false;
        try {
            threads.look(this::look);
            handedOver = true;
        } catch (Problem full) {
            listeners.forEach(listener -> listener.trouble(String.valueOf(full.getMessage())));
        } finally {
            if (!handedOver) {
                looking.set(false);
            }
        }
    }

    private void look() {
        try {
            long before = link.now();
            List<LockView> listed = link.client().list("", LookApi.MOST_LISTED + 1);
            Map<String, LockView> views = new TreeMap<>();
            listed.stream().limit(LookApi.MOST_LISTED).forEach(view -> views.put(view.name(), view));
            Look old = newest;
            Look now = new Look(views, listed.size() > LookApi.MOST_LISTED, before);
            Duration passed = Duration.ofNanos(Math.max(0, before - old.atNanos));
            // A look from long ago tells nothing of what happened since.
            boolean recent = old.atNanos > 0 && passed.toNanos() < 10 * LOOK_NANOS;
            List<LockView> changed = recent ? changed(old, now, passed) : List.of();
            List<String> gone = recent
                    ? old.views.keySet().stream()
                            .filter(name -> !views.containsKey(name))
                            .toList()
                    : List.of();
            List<Loss> losses = recent ? losses(old, now, passed) : List.of();
            newest = now;
            listeners.forEach(listener -> listener.tell(now, recent, changed, gone, losses));
        } catch (HoldfastException silent) {
            listeners.forEach(listener -> listener.trouble(String.valueOf(silent.getMessage())));
        } finally {
            looking.set(false);
        }
    }

    private static List<LockView> changed(Look old, Look now, Duration passed) {
        return now.views.values().stream()
                .filter(view -> {
                    LockView before = old.views.get(view.name());
                    return before == null || differs(before, view, passed);
                })
                .toList();
    }

    /** Whether more has changed than the time. */
    private static boolean differs(LockView before, LockView now, Duration passed) {
        if (before.kind() != now.kind()
                || before.capacity() != now.capacity()
                || before.holders().size() != now.holders().size()
                || before.waiters().size() != now.waiters().size()
                || before.lastEviction().isPresent() != now.lastEviction().isPresent()) {
            return true;
        }
        for (int i = 0; i < now.holders().size(); i++) {
            LockView.Holder one = before.holders().get(i);
            LockView.Holder two = now.holders().get(i);
            Duration left = one.remaining().orElse(Duration.ZERO).minus(passed).plus(TOLERANCE);
            if (one.token() != two.token()
                    || two.remaining().orElse(Duration.ZERO).compareTo(left) > 0) {
                return true;
            }
        }
        for (int i = 0; i < now.waiters().size(); i++) {
            LockView.Waiter one = before.waiters().get(i);
            LockView.Waiter two = now.waiters().get(i);
            if (!one.clientName().equals(two.clientName())
                    || !one.label().equals(two.label())
                    || two.waitingFor().compareTo(one.waitingFor()) < 0) {
                return true;
            }
        }
        return false;
    }

    private List<Loss> losses(Look old, Look now, Duration passed) {
        List<Loss> losses = new ArrayList<>();
        for (LockView before : old.views.values()) {
            LockView view = now.views.get(before.name());
            for (LockView.Holder holder : before.holders()) {
                boolean stays =
                        view != null && view.holders().stream().anyMatch(other -> other.token() == holder.token());
                if (!stays && losses.size() < MOST_LOSSES_PER_LOOK) {
                    loss(before.name(), holder, view, passed).ifPresent(losses::add);
                }
            }
        }
        return losses;
    }

    private Optional<Loss> loss(String name, LockView.Holder holder, @Nullable LockView now, Duration passed) {
        Optional<LockView> view = now != null ? Optional.of(now) : link.client().inspect(name);
        Optional<LockView.Eviction> eviction =
                view.flatMap(LockView::lastEviction).filter(last -> last.ago().compareTo(passed.plus(TOLERANCE)) < 0);
        if (eviction.isPresent()) {
            return Optional.of(loss(name, holder, "evicted", eviction.get()));
        }
        boolean ranOut =
                holder.remaining().isPresent() && holder.remaining().get().compareTo(passed.plus(TOLERANCE)) < 0;
        return ranOut ? Optional.of(loss(name, holder, "expired", null)) : Optional.empty();
    }

    private static Loss loss(String name, LockView.Holder holder, String reason, LockView.@Nullable Eviction eviction) {
        Map<String, @Nullable Object> data = new LinkedHashMap<>();
        data.put("name", name);
        data.put("token", Long.toString(holder.token()));
        data.put("client", Secret.withoutTag(holder.clientName()));
        data.put("label", holder.label());
        data.put("reason", reason);
        data.put("by", eviction == null ? null : eviction.by());
        data.put("why", eviction == null ? null : eviction.reason());
        return new Loss(name, data);
    }

    /** Somebody who listens, and what they may hear of. Its monitor keeps its events in order. */
    private static final class Listener {
        private final EventStream stream;
        private final Predicate<String> hears;
        private boolean knowsAll;

        Listener(EventStream stream, Predicate<String> hears) {
            this.stream = stream;
            this.hears = hears;
        }

        synchronized void trouble(String detail) {
            knowsAll = false;
            stream.send("trouble", Map.of("detail", detail));
        }

        synchronized void tell(Look now, boolean recent, List<LockView> changed, List<String> gone, List<Loss> losses) {
            if (!knowsAll || !recent) {
                snapshot(now);
                knowsAll = true;
                return;
            }
            // A loss is told while the lock is still known.
            losses.stream().filter(loss -> hears.test(loss.name)).forEach(loss -> stream.send("loss", loss.data));
            List<LockView> mine =
                    changed.stream().filter(view -> hears.test(view.name())).toList();
            for (int from = 0; from < mine.size(); from += MOST_PER_EVENT) {
                List<LockView> some = mine.subList(from, Math.min(mine.size(), from + MOST_PER_EVENT));
                stream.send("changed", Map.of("locks", ViewJson.of(some)));
            }
            List<String> names = gone.stream().filter(hears).toList();
            if (!names.isEmpty()) {
                stream.send("gone", Map.of("names", names));
            }
        }

        private void snapshot(Look now) {
            List<LockView> mine = now.views.values().stream()
                    .filter(view -> hears.test(view.name()))
                    .toList();
            int from = 0;
            do {
                int to = Math.min(mine.size(), from + MOST_PER_EVENT);
                Map<String, Object> part = new LinkedHashMap<>();
                part.put("locks", ViewJson.of(mine.subList(from, to)));
                part.put("last", to == mine.size());
                part.put("truncated", now.truncated);
                stream.send("snapshot", part);
                from = to;
            } while (from < mine.size());
        }
    }
}
