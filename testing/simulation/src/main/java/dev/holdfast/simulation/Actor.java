package dev.holdfast.simulation;

import dev.holdfast.ClientClosedException;
import dev.holdfast.DistributedLock;
import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LockOptions;
import dev.holdfast.StoreUnavailableException;
import java.time.Duration;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** One user of a client: asks for a lock in some way, works under it, gives it back, thinks, and asks again. */
final class Actor {
    /** What P17 allows besides. */
    private static final long MOST_BEFORE_ASKING_NANOS = 250 * Profile.MILLI;

    private static final long LONGEST_CALM_HOLD_NANOS = 100 * Profile.MILLI;

    private final Workload workload;
    private final World world;
    private final Profile profile;
    private final Process process;
    private final SplittableRandom random;
    private final LockOptions otherOptions;

    Actor(Workload workload, Process process, SplittableRandom random) {
        this.workload = workload;
        this.world = workload.world;
        this.profile = workload.profile;
        this.process = process;
        this.random = random;
        this.otherOptions = profile.options.withLabel("other");
    }

    /** Takes a turn, if there is one left. */
    void next() {
        if (process.isClosed() || !workload.takeTurn()) {
            return;
        }
        Spot spot = profile.spots.get(random.nextInt(profile.spots.size()));
        DistributedLock lock = spot.at(process.holdfast(), random.nextInt(10) == 0 ? otherOptions : profile.options);
        double way = random.nextDouble();
        if ((way -= profile.timed) < 0) {
            tryFor(spot, lock, Profile.between(random, Profile.MILLI, profile.longestWaitNanos));
        } else if ((way -= profile.once) < 0) {
            tryFor(spot, lock, 0);
        } else if ((way -= profile.inline) < 0) {
            tryInline(spot, lock);
        } else if (way - profile.reentrant < 0 && spot.kind() == Spot.Kind.EXCLUSIVE) {
            if (!new Reentry(workload, process, spot, lock.asLock(), random.split(), this::think).begin()) {
                think();
            }
        } else {
            acquire(spot, lock);
        }
    }

    private void think() {
        world.at(world.now() + random.nextLong(profile.longestThinkNanos), process, this::next);
    }

    private void acquire(Spot spot, DistributedLock lock) {
        Wait wait = workload.begin(process, spot, Wait.Way.WAIT, Long.MAX_VALUE);
        CompletableFuture<Lease> future = lock.acquireAsync();
        var unused = future.whenComplete((lease, failure) -> settled(wait, lease, failure));
        perhapsCancel(wait, future);
    }

    private void tryFor(Spot spot, DistributedLock lock, long waitNanos) {
        Wait wait = workload.begin(process, spot, waitNanos == 0 ? Wait.Way.ONCE : Wait.Way.TIMED, waitNanos);
        CompletableFuture<Optional<Lease>> future = lock.tryAcquireAsync(Duration.ofNanos(waitNanos));
        var unused = future.whenComplete(
                (lease, failure) -> settled(wait, lease == null ? null : lease.orElse(null), failure));
        perhapsCancel(wait, future);
        // One deadline for everything: the wait itself, and one answer of the store, to a request that may have had to
        // wait
        // for an idle grant to go back.
        long limit = process.clock().longest(waitNanos + profile.commandTimeoutNanos + MOST_BEFORE_ASKING_NANOS)
                + profile.callbackDelayNanos
                + Process.WAKING_NANOS;
        world.at(world.now() + limit, process, () -> {
            if (!wait.settled && process.awakeSince() + limit < world.now()) {
                world.fail("P17", wait + " has not ended in its time");
            }
        });
    }

    private void tryInline(Spot spot, DistributedLock lock) {
        Wait wait = workload.begin(process, spot, Wait.Way.INLINE, 0);
        Optional<Lease> lease = Optional.empty();
        RuntimeException failure = null;
        try {
            lease = lock.tryAcquire();
        } catch (StoreUnavailableException unknown) {
            failure = unknown;
        }
        settled(wait, lease.orElse(null), failure);
    }

    private void perhapsCancel(Wait wait, CompletableFuture<?> future) {
        if (random.nextDouble() < profile.cancels) {
            world.at(world.now() + Profile.between(random, Profile.MICRO, 200 * Profile.MILLI), process, () -> {
                if (!future.isDone()) {
                    world.log(process + " cancels " + wait);
                    wait.cancelled = true;
                    future.cancel(true);
                }
            });
        }
    }

    private void settled(Wait wait, @Nullable Lease lease, @Nullable Throwable failure) {
        workload.settled(wait);
        if (lease != null) {
            wait.servedAt = wait.way == Wait.Way.INLINE ? world.now() : process.dispatchedAt();
            hold(wait, lease);
            return;
        }
        if (world.logs()) {
            world.log(process + " gets nothing from " + wait + (failure == null ? "" : ": " + failure));
        }
        checkFailure(wait, failure);
        think();
    }

    private void checkFailure(Wait wait, @Nullable Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause == null) {
            if (process.answers() == wait.answersBefore && !wait.contendedLocally) {
                world.fail("P2", wait + " was told that somebody else has the lock, but nobody had said so");
            }
            if (!wait.contendedLocally && wasFree(wait)) {
                world.fail("P16", wait + " was told that somebody else has the lock, but nobody had or wanted it");
            }
        } else if (cause instanceof CancellationException) {
            if (!wait.cancelled) {
                world.fail("no exception", wait + " ended with " + cause);
            }
        } else if (cause instanceof StoreUnavailableException) {
            if (workload.calmSince() <= wait.startedAt - profile.graceNanos()) {
                world.fail("P16", wait + " ended with " + cause + " although the store answers every request");
            }
        } else if (!(cause instanceof ClientClosedException && process.isClosed())) {
            world.fail("no exception", wait + " ended with " + cause);
        }
    }

    /** Whether nobody held or wanted any of the names from the beginning of a wait until now. */
    private boolean wasFree(Wait wait) {
        long serverNanosThen = process.server().readClock(wait.startedAt);
        return wait.spot.names().stream()
                .noneMatch(name -> workload.ledger.wasInUseSince(name, wait.startedAt, serverNanosThen));
    }

    private void hold(Wait wait, Lease lease) {
        LeaseWatch watch = new LeaseWatch(world, profile, wait, lease, wait.servedAt);
        if (world.logs()) {
            world.log(process + " gets " + watch + " for " + wait);
        }
        watch.open(workload.ledger);
        workload.deliveries.add(watch);
        process.holdBegins();
        write(watch);
        boolean calm = world.now() >= workload.calmSince() && !profile.isFaultless();
        long longest = calm ? LONGEST_CALM_HOLD_NANOS : profile.longestHoldNanos;
        long duration = Profile.between(random, 50 * Profile.MICRO, Math.max(longest, Profile.MILLI));
        if (random.nextInt(4) == 0) {
            world.at(world.now() + random.nextLong(duration), process, () -> write(watch));
        }
        world.at(world.now() + duration, process, () -> release(watch));
    }

    /** A holder of an exclusive lock changes what the lock guards; its write may arrive when the lease is over. */
    private void write(LeaseWatch watch) {
        if (watch.lease().isHeld() && watch.lease().isExclusive()) {
            String name = watch.lease().names().get(0);
            long delay = random.nextInt(3) == 0 ? profile.slowDelay(random) : profile.fastDelay(random);
            world.at(world.now() + delay, () -> workload.deliveries.write(name, watch));
        }
    }

    private void release(LeaseWatch watch) {
        Lease lease = watch.lease();
        boolean held = lease.isHeld();
        if (world.logs()) {
            world.log(process + " releases " + watch + (held ? "" : ", which it does not hold"));
        }
        watch.releasing();
        process.holdEnds();
        switch (random.nextInt(4)) {
            case 0 -> check(watch, held, lease.release());
            case 1 -> {
                boolean thrown = false;
                try {
                    lease.close();
                } catch (LeaseLostException lost) {
                    thrown = true;
                }
                check(watch, held, !thrown);
            }
            default -> {
                var unused = lease.releaseAsync().thenAccept(released -> check(watch, held, released));
            }
        }
        if (lease.isHeld()) {
            world.fail("P2", watch + " is held after its release");
        }
        think();
    }

    private void check(LeaseWatch watch, boolean held, boolean released) {
        boolean excused = false;
        for (Holding holding : watch.holdings()) {
            excused |= holding.state == Holding.State.EVICTED || holding.state == Holding.State.FORGOTTEN;
        }
        if (held != released && !(held && excused)) {
            world.fail(
                    "P2",
                    "the release of " + watch + " answered " + released + " but the lease was "
                            + (held ? "held" : "not held"));
        }
    }
}
