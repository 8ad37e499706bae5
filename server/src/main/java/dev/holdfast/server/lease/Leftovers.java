package dev.holdfast.server.lease;

import dev.holdfast.HoldfastException;
import dev.holdfast.server.wire.Problem;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.ReleaseOutcome;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Gives back what nobody was told of, again and again until the store has answered. What cannot be given back ends with
 * its lease. Thread-safe.
 */
final class Leftovers {
    private static final int MOST_TRIES = 12;
    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final int MOST_DOUBLINGS = 7;

    private final StoreLink link;
    private final StoreThreads threads;

    Leftovers(StoreLink link, StoreThreads threads) {
        this.link = link;
        this.threads = threads;
    }

    /** Ends a claim that nobody else can have, whether it waits or holds. */
    void withdraw(Claim claim, boolean mayStillArrive) {
        attempt(0, () -> {
            link.store().withdraw(claim, mayStillArrive);
            return true;
        });
    }

    /** Gives grants back. */
    void release(List<Grant> grants) {
        attempt(0, () -> link.store().release(grants).stream().noneMatch(ReleaseOutcome.Unknown.class::isInstance));
    }

    private void attempt(int tries, BooleanSupplier step) {
        try {
            threads.keep(() -> {
                boolean done;
                try {
                    done = step.getAsBoolean();
                } catch (HoldfastException unanswered) {
                    done = false;
                }
                if (!done && tries < MOST_TRIES) {
                    long pause = FIRST_PAUSE_NANOS << Math.min(tries, MOST_DOUBLINGS);
                    later(pause + ThreadLocalRandom.current().nextLong(pause), tries + 1, step);
                }
            });
        } catch (Problem full) {
            later(TimeUnit.SECONDS.toNanos(1), tries + 1, step);
        }
    }

    private void later(long nanos, int tries, BooleanSupplier step) {
        if (tries <= MOST_TRIES) {
            try {
                threads.later(nanos, () -> attempt(tries, step));
            } catch (java.util.concurrent.RejectedExecutionException stopped) {
                // The server has ended; so will the claim, with its lease.
                return;
            }
        }
    }
}
