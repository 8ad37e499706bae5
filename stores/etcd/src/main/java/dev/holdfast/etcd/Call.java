package dev.holdfast.etcd;

import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.spi.ShortWait;
import dev.holdfast.spi.StoreContext;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.SSLException;

/**
 * One call to the store: what it is about, and until when it may wait for servers in all. An interrupt does not end a
 * wait, because what was asked would then be done without anybody knowing; it is kept for the caller. Immutable.
 */
final class Call {
    private final String operation;
    private final String lockName;
    private final StoreContext context;
    private final long startNanos;
    private final long untilNanos;

    Call(String operation, String lockName, StoreContext context) {
        this.operation = operation;
        this.lockName = lockName;
        this.context = context;
        this.startNanos = context.clock().nanos();
        this.untilNanos = startNanos + context.commandTimeout().toNanos();
    }

    /** When it began: the engine counts from a moment before. */
    long startNanos() {
        return startNanos;
    }

    /** What is left of the time to wait. */
    long leftNanos() {
        return Math.max(0, untilNanos - context.clock().nanos());
    }

    /**
     * Waits for an answer; what the server, or the way to it, says against it is an exception.
     *
     * @param nanos for how long at most, within what is left of the call
     */
    <T> T await(Pending<T> answer, long nanos, ShortWait shortWait) throws StatusRuntimeException {
        long untilNanos = context.clock().nanos() + nanos;
        shortWait.await(answer::isDone);
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    long leftNanos =
                            Math.min(leftNanos(), untilNanos - context.clock().nanos());
                    return answer.get(Math.max(0, leftNanos), TimeUnit.NANOSECONDS);
                } catch (InterruptedException later) {
                    interrupted = true;
                } catch (TimeoutException late) {
                    answer.giveUp();
                    throw Status.DEADLINE_EXCEEDED
                            .withDescription("no answer in time")
                            .asRuntimeException();
                } catch (ExecutionException failed) {
                    throw failed.getCause() instanceof StatusRuntimeException status
                            ? status
                            : Status.UNKNOWN.withCause(failed.getCause()).asRuntimeException();
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Takes a lock within the time of the call; an interrupt is kept for the caller. */
    void takeTurn(ReentrantLock lock, String complaint) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    if (!lock.tryLock(leftNanos(), TimeUnit.NANOSECONDS)) {
                        throw unavailable(new IllegalStateException(complaint));
                    }
                    return;
                } catch (InterruptedException later) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** What to throw for an error that this call cannot make anything of. */
    RuntimeException fault(StatusRuntimeException error) {
        Status status = error.getStatus();
        String said = String.valueOf(status.getDescription());
        return switch (status.getCode()) {
            case PERMISSION_DENIED ->
                new StoreMisconfiguredException(
                        "etcd refuses '" + operation + "' for '" + lockName
                                + "': the user has no right to read and write below the prefix of this store",
                        error);
            case UNAUTHENTICATED ->
                new StoreMisconfiguredException("etcd does not accept the credentials; check user and password", error);
            case INVALID_ARGUMENT, FAILED_PRECONDITION -> refused(said, error);
            case UNIMPLEMENTED ->
                new StoreMisconfiguredException(
                        "the server does not speak etcd's protocol of version 3; it must be etcd 3.4 or later", error);
            case UNAVAILABLE -> {
                Throwable tls = tlsFault(error);
                yield tls == null
                        ? unavailable(error)
                        : new StoreMisconfiguredException(
                                "etcd cannot be reached over TLS (" + tls.getMessage()
                                        + "); check the options 'ca', 'cert' and 'key', and that the certificate is for"
                                        + " the host",
                                error);
            }
            default -> unavailable(error);
        };
    }

    private RuntimeException refused(String said, StatusRuntimeException error) {
        String text = said.toLowerCase(Locale.ROOT);
        if (text.contains("user name is empty")) {
            return new StoreMisconfiguredException(
                    "etcd asks for a user and a password; give both, as credentials or in the URL before '@'", error);
        }
        if (text.contains("authentication failed") || text.contains("invalid user")) {
            return new StoreMisconfiguredException(
                    "etcd does not accept the credentials; check user and password", error);
        }
        if (text.contains("authentication is not enabled")) {
            return new StoreMisconfiguredException(
                    "etcd has no authentication enabled, but a user was given; leave the user out, or enable it",
                    error);
        }
        if (text.contains("too many operations") || text.contains("too large")) {
            return new StoreMisconfiguredException(
                    "etcd takes no transaction of this size (" + said
                            + "); take fewer names at once, or raise --max-txn-ops and --max-request-bytes",
                    error);
        }
        return unavailable(error);
    }

    /** What is wrong with certificates is not mended by asking again. */
    private static @org.jspecify.annotations.Nullable Throwable tlsFault(Throwable error) {
        for (Throwable cause = error.getCause(); cause != null; cause = cause.getCause()) {
            if (cause instanceof SSLException
                    && !String.valueOf(cause.getMessage()).contains("closed")) {
                return cause;
            }
        }
        return null;
    }

    /** What to throw when nobody could be asked. */
    RuntimeException unavailable(Throwable cause) {
        return new StoreUnavailableException(operation, lockName, cause);
    }
}
