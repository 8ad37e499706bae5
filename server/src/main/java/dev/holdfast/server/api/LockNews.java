package dev.holdfast.server.api;

import dev.holdfast.HoldfastException;
import dev.holdfast.LockView;
import dev.holdfast.server.history.History;
import dev.holdfast.server.lease.Quota;
import dev.holdfast.server.lease.Secret;
import dev.holdfast.server.lease.StoreLink;
import dev.holdfast.server.lease.StoreThreads;
import dev.holdfast.server.wire.Call;
import dev.holdfast.server.wire.EventStream;
import dev.holdfast.server.wire.Problem;
import dev.holdfast.server.wire.Problem.Code;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * {@code GET /v1/events}: what becomes of all locks. While somebody listens the store is looked at every second, once for
 * all readers, and each is told what has changed. While nobody listens it is looked at less often, for the history.
 */
final class LockNews {
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long QUIET_LOOK_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long BEAT_NANOS = TimeUnit.SECONDS.toNanos(15);

    /** While nobody listens, looking may take one part in so many of the time: a look at many locks is dear. */
    private static final long QUIET_SHARE = 50;

    private final StoreLink link;
    private final StoreThreads threads;
    private final Quota streams;
    private final History history;
    private final Consumer<Throwable> defects;
    private final long patienceNanos;
    private final News news;
    private final Set<NewsReader> readers = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean looking = new AtomicBoolean();
    private volatile long quietUntilNanos;
    private volatile boolean stopped;

    LockNews(
            StoreLink link,
            StoreThreads threads,
            Quota streams,
            History history,
            Duration patience,
            Consumer<Throwable> defects) {
        this.link = link;
        this.threads = threads;
        this.streams = streams;
        this.history = history;
        this.defects = defects;
        this.patienceNanos = patience.toNanos();
        this.news = new News(history);
        this.quietUntilNanos = link.now();
    }

    /** Begins to look. */
    void start() {
        threads.every(LOOK_NANOS, () -> {
            if (!readers.isEmpty() || link.now() - quietUntilNanos >= 0) {
                look();
            }
        });
        threads.every(BEAT_NANOS, () -> {
            readers.forEach(each -> each.stream().beat());
            history.tidy();
        });
    }

    void open(Call call, Client client) {
        client.need(Client.Role.LOOK);
        Map<String, String> query = call.target().query();
        if (!Set.of("prefix").containsAll(query.keySet())) {
            throw new Problem(Code.INVALID, "the query knows only 'prefix'");
        }
        String prefix = query.getOrDefault("prefix", "");
        streams.take(client.name());
        EventStream stream = call.stream();
        if (stream == null) {
            streams.giveBack(client.name());
            return;
        }
        NewsReader reader = new NewsReader(
                stream, client, name -> name.startsWith(prefix) && client.maySee(name), news, patienceNanos);
        readers.add(reader);
        stream.onGone(() -> forget(reader));
        look();
    }

    private void forget(NewsReader reader) {
        if (readers.remove(reader)) {
            streams.giveBack(reader.client().name());
        }
    }

    void stop() {
        stopped = true;
        readers.forEach(reader -> end(reader, "stopping"));
    }

    /** What these clients may do is not what it was: they have to open their streams again. */
    void refuse(Set<String> clients) {
        readers.forEach(reader -> {
            if (clients.contains(reader.client().name())) {
                end(reader, "reconnect");
            }
        });
    }

    private void end(NewsReader reader, String event) {
        forget(reader);
        if (reader.stream().keepsUp()) {
            reader.stream().send(event, Map.of());
        }
        reader.stream().end();
    }

    private void look() {
        if (stopped || !looking.compareAndSet(false, true)) {
            return;
        }
        boolean handedOver = false;
        try {
            threads.look(this::lookNow);
            handedOver = true;
        } catch (Problem full) {
            trouble(full);
        } finally {
            if (!handedOver) {
                looking.set(false);
            }
        }
    }

    private void lookNow() {
        long before = link.now();
        try {
            List<LockView> listed = link.client().list("", LookApi.MOST_LISTED + 1);
            Look old = news.state().look();
            boolean truncated = listed.size() > LookApi.MOST_LISTED;
            Look now = old.next(truncated ? listed.subList(0, LookApi.MOST_LISTED) : listed, truncated, before);
            remember(old, now);
            news.publish(now);
            readers.forEach(NewsReader::tell);
        } catch (HoldfastException silent) {
            trouble(silent);
        } catch (RuntimeException unexpected) {
            // The store is closed under a look that had begun before the server stopped.
            if (!stopped) {
                defects.accept(unexpected);
            }
            trouble(unexpected);
        } finally {
            long after = link.now();
            quietUntilNanos = after + Math.max(QUIET_LOOK_NANOS, QUIET_SHARE * (after - before));
            looking.set(false);
        }
    }

    private void remember(Look old, Look now) {
        now.endedSince(old, history::exactEnding, link.client()::inspect)
                .forEach(each -> history.ended(each.name(), each.holder().token(), each.how()));
        now.fresh().values().forEach(each -> history.saw(each.view(), now.atNanos(), Secret::withoutTag));
        now.gone().forEach(name -> history.nobodyWaits(name, now.atNanos()));
        if (!now.truncated()) {
            history.endMissing(now::holds, now.atNanos());
        }
    }

    private void trouble(RuntimeException why) {
        readers.forEach(reader -> reader.trouble(String.valueOf(why.getMessage())));
    }
}
