package dev.holdfast.redis.wire;

import dev.holdfast.spi.MonotonicClock;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** By when a call has to be over. Whatever the call has to do first, such as connecting, takes from the same time. Immutable. */
public final class Deadline {
    private final MonotonicClock clock;
    private final long nanos;

    private Deadline(MonotonicClock clock, long nanos) {
        this.clock = clock;
        this.nanos = nanos;
    }

    /** {@return the one that is so far from now} */
    public static Deadline in(MonotonicClock clock, Duration time) {
        return new Deadline(clock, clock.nanos() + time.toNanos());
    }

    /** {@return by the clock of the client} */
    public long nanos() {
        return nanos;
    }

    /** {@return what is left; negative if it is over} */
    public long leftNanos() {
        return nanos - clock.nanos();
    }

    public boolean isOver() {
        return leftNanos() <= 0;
    }

    /** {@return an earlier one, if so little time is enough} */
    public Deadline atMost(Duration time) {
        long earlier = clock.nanos() + time.toNanos();
        return earlier - nanos < 0 ? new Deadline(clock, earlier) : this;
    }

    /**
     * Waits for what somebody else does. An interrupt does not end the wait; the thread is interrupted afterwards.
     *
     * @throws ExecutionException if it fails
     * @throws TimeoutException if it is not done in time
     */
    public <T extends @Nullable Object> T await(Future<T> done) throws ExecutionException, TimeoutException {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return done.get(Math.max(0, leftNanos()), TimeUnit.NANOSECONDS);
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

    /**
     * {@return what is left, for a socket}
     *
     * @throws IOException if nothing is
     */
    int leftMillis() throws IOException {
        long left = leftNanos();
        if (left <= 0) {
            throw new SocketTimeoutException("no answer in time");
        }
        return (int) Math.min(Integer.MAX_VALUE, Math.max(1, TimeUnit.NANOSECONDS.toMillis(left)));
    }
}
