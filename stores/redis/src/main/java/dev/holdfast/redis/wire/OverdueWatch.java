package dev.holdfast.redis.wire;

import dev.holdfast.spi.StoreContext;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** Looks for overdue answers from time to time, as long as any answer is awaited. Thread-safe. */
public final class OverdueWatch {
    private final StoreContext context;
    private final Duration interval;
    private final Set<PooledServer> servers = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean armed = new AtomicBoolean();
    private volatile boolean closed;

    public OverdueWatch(StoreContext context, Duration interval) {
        this.context = context;
        this.interval = interval;
    }

    void add(PooledServer server) {
        servers.add(server);
    }

    void remove(PooledServer server) {
        servers.remove(server);
    }

    /** Sees to it that somebody looks, because an answer will be awaited. */
    void note() {
        if (!armed.get() && armed.compareAndSet(false, true)) {
            context.scheduler().scheduleGuard(interval, this::look);
        }
    }

    public void close() {
        closed = true;
    }

    private void look() {
        if (endOverdue()) {
            again();
        } else {
            armed.set(false);
            // Somebody may have begun to wait after we looked and before that.
            if (endOverdue() && armed.compareAndSet(false, true)) {
                again();
            }
        }
    }

    private void again() {
        if (!closed) {
            context.scheduler().scheduleGuard(interval, this::look);
        }
    }

    private boolean endOverdue() {
        boolean awaited = false;
        long now = context.clock().nanos();
        for (PooledServer server : servers) {
            awaited |= server.endOverdue(now);
        }
        return awaited;
    }
}
