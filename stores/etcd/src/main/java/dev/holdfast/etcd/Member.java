package dev.holdfast.etcd;

import io.grpc.Channel;
import io.grpc.ManagedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One member of the cluster, and the connection to it. A connection that failed or fell silent is left: what is under way
 * on it ends by its own deadlines, and the next call opens a new one at once, without gRPC's pauses of up to two minutes.
 * Thread-safe.
 */
final class Member {
    private final @Nullable Supplier<ManagedChannel> connect;
    private final @Nullable Channel lent;

    /** Guarded by this object. */
    private @Nullable ManagedChannel own;

    /** Connections that were left and on which something may still be under way; guarded by this object. */
    private final List<ManagedChannel> left = new ArrayList<>();

    private boolean closed;

    private Member(@Nullable Supplier<ManagedChannel> connect, @Nullable Channel lent) {
        this.connect = connect;
        this.lent = lent;
    }

    static Member at(Supplier<ManagedChannel> connect) {
        return new Member(connect, null);
    }

    /** One whose connection belongs to the user, who may have several servers behind it. */
    static Member lent(Channel channel) {
        return new Member(null, channel);
    }

    synchronized Channel channel() {
        if (lent != null || connect == null) {
            return java.util.Objects.requireNonNull(lent);
        }
        ManagedChannel current = own;
        if (current == null) {
            if (closed) {
                throw new IllegalStateException("the store is closed");
            }
            current = connect.get();
            own = current;
        }
        return current;
    }

    /** Whether it is a connection of the user's that was closed for good. */
    boolean isShutDownByItsUser() {
        return lent instanceof ManagedChannel users && users.isShutdown();
    }

    /** Leaves a connection, unless somebody has done so before. */
    synchronized void leave(Channel failed) {
        if (failed == own && own != null) {
            left.removeIf(ManagedChannel::isTerminated);
            left.add(own);
            own.shutdown();
            own = null;
        } else if (lent instanceof ManagedChannel users) {
            // Its connection may be one that nobody hears of any more. What else is under way on it may go on.
            users.enterIdle();
            users.resetConnectBackoff();
        }
    }

    /** Ends all connections, and waits until that is done: their thread is stopped next. */
    void close(long patienceNanos) {
        List<ManagedChannel> last;
        synchronized (this) {
            closed = true;
            last = new ArrayList<>(left);
            if (own != null) {
                last.add(own);
            }
            own = null;
            left.clear();
        }
        last.forEach(ManagedChannel::shutdownNow);
        long untilNanos = System.nanoTime() + patienceNanos;
        try {
            for (ManagedChannel each : last) {
                each.awaitTermination(untilNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
