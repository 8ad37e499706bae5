package dev.holdfast.server.api;

import dev.holdfast.HoldfastException;
import dev.holdfast.LockView;
import dev.holdfast.server.lease.Quota;
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
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * {@code GET /v1/events}: what becomes of all locks. While somebody listens the store is looked at every second, once for
 * all readers, and each is told what has changed.
 */
final class LockNews {
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long BEAT_NANOS = TimeUnit.SECONDS.toNanos(15);

    private final StoreLink link;
    private final StoreThreads threads;
    private final Quota streams;
    private final long patienceNanos;
    private final Map<NewsReader, String> readers = new ConcurrentHashMap<>();
    private final AtomicBoolean looking = new AtomicBoolean();
    private final AtomicBoolean started = new AtomicBoolean();

    /** The newest look; written by one look after the other. */
    private volatile Look newest = new Look(new TreeMap<>(), false, 0);

    LockNews(StoreLink link, StoreThreads threads, Quota streams, Duration patience) {
        this.link = link;
        this.threads = threads;
        this.streams = streams;
        this.patienceNanos = patience.toNanos();
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
        NewsReader reader =
                new NewsReader(stream, name -> name.startsWith(prefix) && client.maySee(name), patienceNanos);
        readers.put(reader, client.name());
        stream.onGone(() -> forget(reader));
        if (started.compareAndSet(false, true)) {
            threads.every(LOOK_NANOS, this::lookIfWanted);
            threads.every(
                    BEAT_NANOS,
                    () -> readers.keySet().forEach(each -> each.stream().beat()));
        }
        lookIfWanted();
    }

    private void forget(NewsReader reader) {
        String client = readers.remove(reader);
        if (client != null) {
            streams.giveBack(client);
        }
    }

    void stop() {
        readers.keySet().forEach(reader -> {
            forget(reader);
            if (reader.stream().keepsUp()) {
                reader.stream().send("stopping", Map.of());
            }
            reader.stream().end();
        });
    }

    private void lookIfWanted() {
        if (readers.isEmpty() || !looking.compareAndSet(false, true)) {
            return;
        }
        boolean handedOver = false;
        try {
            threads.look(this::look);
            handedOver = true;
        } catch (Problem full) {
            readers.keySet().forEach(reader -> reader.trouble(String.valueOf(full.getMessage())));
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
            // A look from long ago tells nothing of what happened since.
            boolean recent = old.atNanos() > 0 && before - old.atNanos() < 10 * LOOK_NANOS;
            List<Look.Loss> losses = recent ? now.lossesSince(old, link.client()::inspect) : null;
            newest = now;
            readers.keySet().forEach(reader -> reader.tell(now, losses));
        } catch (HoldfastException silent) {
            readers.keySet().forEach(reader -> reader.trouble(String.valueOf(silent.getMessage())));
        } finally {
            looking.set(false);
        }
    }
}
