package dev.holdfast.server.api;

import dev.holdfast.LossReason;
import dev.holdfast.server.lease.HeldLease;
import dev.holdfast.server.lease.LeaseId;
import dev.holdfast.server.lease.Leases;
import dev.holdfast.server.lease.Quota;
import dev.holdfast.server.lease.StoreLink;
import dev.holdfast.server.lease.StoreThreads;
import dev.holdfast.server.wire.Call;
import dev.holdfast.server.wire.EventStream;
import dev.holdfast.server.wire.Problem;
import dev.holdfast.server.wire.Problem.Code;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Streams that keep leases: {@code GET /v1/leases/{leaseId}/events}. An open stream renews its lease and tells what
 * becomes of it. A machine that vanishes without a word is not noticed for minutes while something is being sent to it,
 * so a stream ends after some minutes and the client opens it again; the lease lasts meanwhile.
 */
final class LeaseStreams {
    private static final long LIFE_NANOS = TimeUnit.MINUTES.toNanos(5);
    private static final long BEAT_NANOS = TimeUnit.SECONDS.toNanos(15);
    private static final long LONGEST_RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int RENEWALS_PER_LEASE = 3;
    private static final int RETRIES_PER_LEASE = 10;

    private final StoreLink link;
    private final StoreThreads threads;
    private final Leases leases;
    private final Quota streams;
    private final Consumer<Throwable> defects;
    private final Set<Keeper> open = ConcurrentHashMap.newKeySet();
    private volatile boolean stopping;

    LeaseStreams(StoreLink link, StoreThreads threads, Leases leases, Quota streams, Consumer<Throwable> defects) {
        this.link = link;
        this.threads = threads;
        this.leases = leases;
        this.streams = streams;
        this.defects = defects;
    }

    void open(Call call, Client client, LeaseId id) {
        String release = call.target().query().getOrDefault("release", "false");
        if (!Set.of("true", "false").contains(release)
                || !Set.of("release").containsAll(call.target().query().keySet())) {
            throw new Problem(Code.INVALID, "the query knows only 'release', which is true or false");
        }
        streams.take(client.name());
        boolean handedOver = false;
        try {
            threads.keep(() -> Api.answering(call, defects, () -> begin(call, client, id, release.equals("true"))));
            handedOver = true;
        } finally {
            if (!handedOver) {
                streams.giveBack(client.name());
            }
        }
    }

    private void begin(Call call, Client client, LeaseId id, boolean releases) {
        Keeper keeper = null;
        try {
            HeldLease renewed = leases.renew(id, id.lease());
            EventStream stream = call.stream();
            if (stream != null) {
                keeper = new Keeper(stream, client.name(), id, releases, renewed.validUntilNanos());
            } else if (releases) {
                leases.releaseForGood(id);
            }
        } finally {
            if (keeper == null) {
                streams.giveBack(client.name());
            }
        }
        if (keeper != null) {
            keeper.start();
        }
    }

    /** Tells every client that this instance stops; the leases stay. */
    void stop() {
        stopping = true;
        open.forEach(keeper -> keeper.end("stopping", Map.of()));
    }

    /** What these clients may do is not what it was: they have to open their streams again. */
    void refuse(Set<String> clients) {
        open.forEach(keeper -> {
            if (clients.contains(keeper.client)) {
                keeper.end("reconnect", keeper.remaining());
            }
        });
    }

    /** Keeps one lease. Its monitor guards its fields; the store is not called under it. */
    private final class Keeper {
        private final EventStream stream;
        private final String client;
        private final LeaseId id;
        private final boolean releases;
        private final long endsAtNanos;
        private long validUntilNanos;
        private boolean over;
        private @Nullable ScheduledFuture<?> nextRenewal;
        private @Nullable ScheduledFuture<?> deadline;
        private @Nullable ScheduledFuture<?> beat;
        private Runnable unwatch = () -> {};

        Keeper(EventStream stream, String client, LeaseId id, boolean releases, long validUntilNanos) {
            this.stream = stream;
            this.client = client;
            this.id = id;
            this.releases = releases;
            this.validUntilNanos = validUntilNanos;
            this.endsAtNanos = link.now() + LIFE_NANOS;
        }

        void start() {
            open.add(this);
            Runnable stop = leases.watch(id, this::lost, () -> end("released", Map.of()));
            synchronized (this) {
                unwatch = stop;
                beat = threads.every(BEAT_NANOS, stream::beat);
            }
            stream.onGone(this::gone);
            renewed(validUntilNanos);
            if (stopping) {
                end("stopping", Map.of());
            }
        }

        private void renewed(long until) {
            synchronized (this) {
                if (over) {
                    return;
                }
                validUntilNanos = until;
                long left = until - link.now();
                cancel(deadline);
                deadline = threads.later(Math.max(0, left), this::deadlinePassed);
                nextRenewal = threads.later(Math.max(0, left / RENEWALS_PER_LEASE), this::renewalDue);
            }
            stream.send("held", remaining());
        }

        private void renewalDue() {
            if (link.now() >= endsAtNanos) {
                end("reconnect", remaining());
            } else if (stream.isBehind()) {
                // Nobody reads: the connection is ended, and the lease ends with its time.
                stream.send("held", remaining());
            } else {
                try {
                    threads.keep(this::renew);
                } catch (Problem full) {
                    retry(String.valueOf(full.getMessage()));
                }
            }
        }

        private void renew() {
            synchronized (this) {
                if (over) {
                    return;
                }
            }
            try {
                HeldLease lease = leases.renew(id, id.lease());
                renewed(lease.validUntilNanos());
            } catch (Problem problem) {
                if (problem.code() == Code.LEASE_LOST) {
                    lost(LossReason.EXPIRED);
                } else {
                    retry(String.valueOf(problem.getMessage()));
                }
            } catch (RuntimeException unexpected) {
                defects.accept(unexpected);
                retry("a defect in the server");
            }
        }

        private void retry(String detail) {
            Map<String, Object> data = new LinkedHashMap<>(remaining());
            data.put("detail", detail);
            stream.send("unsure", data);
            Duration some = id.lease().dividedBy(RETRIES_PER_LEASE);
            synchronized (this) {
                if (!over) {
                    nextRenewal = threads.later(Math.min(LONGEST_RETRY_NANOS, some.toNanos()), this::renewalDue);
                }
            }
        }

        private void deadlinePassed() {
            synchronized (this) {
                if (over || link.now() < validUntilNanos) {
                    return;
                }
            }
            lost(LossReason.EXPIRED);
        }

        private void lost(LossReason reason) {
            end("lost", Map.of("name", id.names().get(0), "reason", Leases.word(reason)));
        }

        private synchronized Map<String, Object> remaining() {
            return Map.of("remainingMillis", LeaseApi.millis(validUntilNanos - link.now()));
        }

        /** The client closed the stream. */
        private void gone() {
            if (finish() && releases) {
                leases.releaseForGood(id);
            }
        }

        void end(String event, Map<String, Object> data) {
            if (finish()) {
                stream.send(event, data);
                stream.end();
            }
        }

        private boolean finish() {
            synchronized (this) {
                if (over) {
                    return false;
                }
                over = true;
                cancel(nextRenewal);
                cancel(deadline);
                cancel(beat);
                unwatch.run();
            }
            open.remove(this);
            streams.giveBack(client);
            return true;
        }

        private static void cancel(@Nullable ScheduledFuture<?> task) {
            if (task != null) {
                task.cancel(false);
            }
        }
    }
}
