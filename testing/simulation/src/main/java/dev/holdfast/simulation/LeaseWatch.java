package dev.holdfast.simulation;

import dev.holdfast.Lease;
import dev.holdfast.LossReason;
import java.util.ArrayList;
import java.util.List;

/**
 * One lease in the hands of a program, from its delivery to its release. Whenever the lease says that it is held, and for
 * as long as it says so, the server must not let it go (P1); and its loss must be told by its own deadline (P10).
 */
final class LeaseWatch {
    /** The grain of reckoning between clocks. */
    private static final long GRAIN_NANOS = 1_000;

    private final World world;
    private final Process process;
    private final Profile profile;
    private final Lease lease;
    private final Wait wait;
    private final long deliveredAt;
    private final long dispatchedAt;
    private final List<Holding> holdings = new ArrayList<>(1);

    /** The lease's own deadline by the client's clock, and in true time; -1 while not known. */
    private long deadlineNanos = -1;

    private long deadlineAt = -1;
    private long toldAt = Holding.NEVER;

    /** Whether the program has begun to give the lease back. */
    private boolean givenBack;

    LeaseWatch(World world, Profile profile, Wait wait, Lease lease, long dispatchedAt) {
        this.world = world;
        this.process = wait.process;
        this.profile = profile;
        this.wait = wait;
        this.lease = lease;
        this.deliveredAt = world.now();
        this.dispatchedAt = dispatchedAt;
    }

    /** Finds the grants that the lease stands for. */
    void open(Ledger ledger) {
        for (String name : lease.names()) {
            long epoch = lease.token(name) >> 12;
            Holding holding = ledger.find(name, epoch);
            if (holding == null || holding.client != process) {
                world.fail("P2", this + " was never granted to " + process);
                return;
            }
            if (holding.lossToldAt < dispatchedAt) {
                world.fail("P1", this + " was handed on after the loss of " + holding + " had been told");
            }
            if (process.server().readClock(dispatchedAt) >= holding.expiry.nanos) {
                world.fail("P1", this + " was handed on after the end of " + holding);
            }
            holding.unownedSince = Holding.NEVER;
            holdings.add(holding);
        }
        process.beliefs().add(this);
        lease.onLost(this::told);
        observe();
    }

    Lease lease() {
        return lease;
    }

    Wait request() {
        return wait;
    }

    List<Holding> holdings() {
        return holdings;
    }

    long deliveredAt() {
        return deliveredAt;
    }

    long dispatchedAt() {
        return dispatchedAt;
    }

    int sequence() {
        return (int) (lease.token(lease.names().get(0)) & 0xfff);
    }

    boolean standsFor(Holding holding) {
        return holdings.contains(holding);
    }

    boolean isLost() {
        return toldAt != Holding.NEVER;
    }

    void observeWaking() {
        if (deadlineAt >= 0 && world.now() > deadlineAt + GRAIN_NANOS && lease.isHeld()) {
            world.fail("P1", this + " is believed after a pause past its deadline");
        }
        observe();
    }

    void observe() {
        if (lease.isHeld()) {
            observeHeld();
        } else if (!isLost() && deadlineAt >= 0) {
            long due = Math.max(deadlineAt, process.awakeSince() + Process.WAKING_NANOS);
            if (world.now() > due + profile.callbackDelayNanos + GRAIN_NANOS) {
                world.fail("P10", "nobody was told of the loss of " + this + " by " + at(due));
            }
        }
    }

    private void observeHeld() {
        if (isLost()) {
            world.fail("P10", this + " is held again after its loss was told");
        }
        long remaining = lease.remaining().toNanos();
        long until = process.clock().nanos() + remaining;
        if (remaining <= 0) {
            world.fail("P1", this + " is held with no time remaining");
        }
        if (until != deadlineNanos) {
            deadlineNanos = until;
            deadlineAt = process.clock().whenShows(until);
        }
        for (Holding holding : holdings) {
            if (holding.state == Holding.State.RELEASED) {
                world.fail("P1", this + " is held but the server has released " + holding);
            }
            if (process.server().readClock(deadlineAt - 1) >= holding.expiry.nanos) {
                world.fail(
                        "P1", this + " is believed until " + at(deadlineAt) + " but " + holding + " ends before that");
            }
        }
    }

    private void told(LossReason reason) {
        if (world.logs()) {
            world.log(process + " is told: " + this + " lost, " + reason);
        }
        toldAt = Math.max(process.dispatchedAt(), deliveredAt);
        // Whoever gives the lease back does not count on it any more; the release may find that it was gone.
        if (!givenBack
                && deadlineAt >= 0
                && toldAt > Math.max(deadlineAt, process.awakeSince() + Process.WAKING_NANOS) + GRAIN_NANOS) {
            world.fail("P10", "the loss of " + this + " was told at " + at(toldAt) + ", not by " + at(deadlineAt));
        }
        if (reason == LossReason.EXPIRED && profile.isFaultless()) {
            world.fail("P10", this + " expired although nothing went wrong");
        }
        for (Holding holding : holdings) {
            holding.lossToldAt = Math.min(holding.lossToldAt, toldAt);
        }
        disown();
    }

    /** The program begins to give the lease back. */
    void releasing() {
        givenBack = true;
        process.beliefs().remove(this);
        disown();
    }

    private void disown() {
        for (Holding holding : holdings) {
            if (holding.unownedSince == Holding.NEVER) {
                holding.unownedSince = world.now();
            }
        }
    }

    private static String at(long nanos) {
        return Words.millis(nanos);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("lease");
        for (String name : lease.names()) {
            text.append(' ').append(name).append('@').append(Words.token(lease.token(name)));
        }
        return text.append(" of ").append(process).toString();
    }
}
