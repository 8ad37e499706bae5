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
    private final Set<Awaiting> servers = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean armed = new AtomicBoolean();
    private volatile boolean closed;

    /** Whoever waits for answers. */
    public interface Awaiting {
        /** Cuts connections whose answer is overdue; tells whether anything is awaited. */
        boolean endOverdue(long nowNanos);
    }

    public OverdueWatch(StoreContext context, Duration interval) {
        this.context = context;
        this.interval = interval;
    }

    /** Begins to look after somebody. */
    public void add(Awaiting server) {
        servers.add(server);
    }

    public void remove(Awaiting server) {
        servers.remove(server);
    }

    /** Sees to it that somebody looks, because an answer will be awaited. */
    public void note() {
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
        for (Awaiting server : servers) {
            awaited |= server.endOverdue(now);
        }
        return awaited;
    }
}
