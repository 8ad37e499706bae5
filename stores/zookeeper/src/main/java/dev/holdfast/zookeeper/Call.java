package dev.holdfast.zookeeper;

import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.spi.StoreContext;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.zookeeper.KeeperException;
import org.jspecify.annotations.Nullable;

/**
 * One call to the store: what it is about, and until when it may wait for the server in all. An interrupt does not end a
 * wait, because what was asked would then be done without anybody knowing; it is kept for the caller. Used by one thread.
 */
final class Call {
    private static final int SMALL_PART = 10;
    private static final Duration MOST_OVER = Duration.ofMillis(200);

    private final String operation;
    private final String lockName;
    private final StoreContext context;
    private final long untilNanos;

    /** What it asks in, and since when. */
    private @Nullable Session session;

    private long askingSinceNanos;

    Call(String operation, String lockName, StoreContext context) {
        this.operation = operation;
        this.lockName = lockName;
        this.context = context;
        this.untilNanos = context.clock().nanos() + context.commandTimeout().toNanos();
    }

    /** From here on it asks in a session. */
    void asksIn(Session ready) {
        if (session != ready) {
            session = ready;
            askingSinceNanos = context.clock().nanos();
        }
    }

    /** What is left of the time to wait. */
    long leftNanos() {
        return Math.max(0, untilNanos - context.clock().nanos());
    }

    /** Whether a wait that cannot be cut short may begin: it ends with the call, but for a tenth of it, or a little. */
    boolean hasTimeFor(long millis) {
        long overNanos = Math.min(TimeUnit.MILLISECONDS.toNanos(millis) / SMALL_PART, MOST_OVER.toNanos());
        return TimeUnit.MILLISECONDS.toNanos(millis) - leftNanos() <= overNanos;
    }

    /** Waits for an answer; an error of the server, a lost connection and an answer that does not come are exceptions. */
    <T> T await(CompletableFuture<T> answer) throws KeeperException {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return answer.get(leftNanos(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException later) {
                    interrupted = true;
                } catch (TimeoutException late) {
                    leaveSilentConnection();
                    throw new KeeperException.OperationTimeoutException();
                } catch (ExecutionException failed) {
                    if (failed.getCause() instanceof KeeperException known) {
                        throw known;
                    }
                    throw new StoreUnavailableException(operation, lockName, failed.getCause());
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Leaves a connection on which nothing was answered for most of the time that a call has. A call that had to wait for
     * its connection first knows too little of it, and a server that answers others before this one is only slow.
     */
    private void leaveSilentConnection() {
        if (session != null) {
            session.leaveIfSilent(askingSinceNanos, context.commandTimeout().toNanos() / 2);
        }
    }

    /** Waits until an answer has come, whatever it is, or until the time is over. */
    void settle(CompletableFuture<?> answer) {
        try {
            await(answer);
        } catch (KeeperException | StoreUnavailableException seenLater) {
            // Whoever asks for the answer itself will be told.
            return;
        }
    }

    /** What to throw for an error that this call cannot make anything of. */
    RuntimeException fault(KeeperException error) {
        return switch (error.code()) {
            case NOAUTH ->
                new StoreMisconfiguredException(
                        "ZooKeeper refuses '" + operation + "' for '" + lockName
                                + "': the user has no right to "
                                + (error.getPath() == null ? "the nodes of this store" : error.getPath())
                                + "; give the credentials that the nodes were made with, or another base path",
                        error);
            case AUTHFAILED ->
                new StoreMisconfiguredException(
                        "ZooKeeper does not accept the credentials; check user, password and scheme", error);
            case INVALIDACL ->
                new StoreMisconfiguredException(
                        "ZooKeeper does not accept the access list of this store; it may name an unknown scheme or need"
                                + " a user that is signed in",
                        error);
            case UNIMPLEMENTED ->
                new StoreMisconfiguredException(
                        "the ZooKeeper server is too old for container nodes; it must be 3.5 or later", error);
            default -> new StoreUnavailableException(operation, lockName, error);
        };
    }

    /** What to throw where the answer would have to be brought by the thread that waits for it. */
    RuntimeException calledBack() {
        return new StoreMisconfiguredException("'" + operation + "' for '" + lockName
                + "' was called in a callback of Curator, on the only thread that brings ZooKeeper's answers, and would"
                + " wait for itself; use acquireAsync() there, or another thread");
    }

    /** What to throw when there is no connection to ask on. */
    RuntimeException unavailable(Throwable cause) {
        return new StoreUnavailableException(operation, lockName, cause);
    }
}
