package dev.holdfast.server.lease;

import dev.holdfast.HoldfastException;
import dev.holdfast.server.wire.Problem;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.ReleaseOutcome;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
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

    /** Grants that are on their way back: whatever the store says of them, nobody may be told to hold them. */
    private final Set<Leaving> leaving = ConcurrentHashMap.newKeySet();

    private record Leaving(String name, OwnerId owner, long epoch) {
        static Leaving of(Grant grant) {
            return new Leaving(grant.name(), grant.owner(), grant.epoch());
        }
    }

    Leftovers(StoreLink link, StoreThreads threads) {
        this.link = link;
        this.threads = threads;
    }

    /** Ends a claim that nobody else can have, whether it waits or holds. */
    void withdraw(Claim claim, boolean mayStillArrive) {
        attempt(
                0,
                () -> {
                    link.store().withdraw(claim, mayStillArrive);
                    return true;
                },
                () -> {});
    }

    /** Gives grants back. */
    void release(List<Grant> grants) {
        grants.forEach(grant -> leaving.add(Leaving.of(grant)));
        attempt(
                0,
                () -> link.store().release(grants).stream().noneMatch(ReleaseOutcome.Unknown.class::isInstance),
                () -> grants.forEach(grant -> leaving.remove(Leaving.of(grant))));
    }

    /** {@return whether one of these is being given back, by a request that may reach the store at any time} */
    boolean isLeaving(List<Grant> grants) {
        return grants.stream().anyMatch(grant -> leaving.contains(Leaving.of(grant)));
    }

    private void attempt(int tries, BooleanSupplier step, Runnable whenOver) {
        try {
            threads.keep(() -> {
                boolean done;
                try {
                    done = step.getAsBoolean();
                } catch (HoldfastException unanswered) {
                    done = false;
                }
                if (done) {
                    whenOver.run();
                } else {
                    long pause = FIRST_PAUSE_NANOS << Math.min(tries, MOST_DOUBLINGS);
                    later(pause + ThreadLocalRandom.current().nextLong(pause), tries + 1, step, whenOver);
                }
            });
        } catch (Problem full) {
            later(TimeUnit.SECONDS.toNanos(1), tries + 1, step, whenOver);
        }
    }

    private void later(long nanos, int tries, BooleanSupplier step, Runnable whenOver) {
        if (tries > MOST_TRIES) {
            whenOver.run();
            return;
        }
        try {
            threads.later(nanos, () -> attempt(tries, step, whenOver));
        } catch (RejectedExecutionException stopped) {
            // The server has ended; so will the claim, with its lease.
            return;
        }
    }
}
