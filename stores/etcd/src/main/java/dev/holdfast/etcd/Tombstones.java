package dev.holdfast.etcd;

import dev.holdfast.spi.StoreContext;
import java.time.Duration;

/**
 * The lease that tombstones belong to, so that they end by themselves: one for all of a client's within some seconds.
 * Thread-safe.
 */
final class Tombstones {
    private static final Duration LIFE = Duration.ofSeconds(60);
    private static final Duration SHARED_FOR = Duration.ofSeconds(20);

    private final Wire wire;
    private final StoreContext context;
    private volatile Shared shared = new Shared(0, 0);

    private record Shared(long lease, long sinceNanos) {}

    Tombstones(Wire wire, StoreContext context) {
        this.wire = wire;
        this.context = context;
    }

    /** A lease that lives for more than half a minute from now. */
    long lease(Call call) {
        Shared known = shared;
        long now = context.clock().nanos();
        if (known.lease() != 0 && now - known.sinceNanos() < SHARED_FOR.toNanos()) {
            return known.lease();
        }
        long lease = wire.grantLease(LIFE.toSeconds(), call).getID();
        shared = new Shared(lease, now);
        return lease;
    }

    void forgetLease() {
        shared = new Shared(0, 0);
    }
}
