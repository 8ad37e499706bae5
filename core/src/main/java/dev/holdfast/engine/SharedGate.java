package dev.holdfast.engine;

import dev.holdfast.spi.OwnerId;
import org.jspecify.annotations.Nullable;

/**
 * The gate of locks of which one client may hold several at a time, or that span several names: readers, permits, sets of
 * names. Every lease has a grant of its own. While nobody stands in line, each waiter asks the store directly; whoever is
 * refused joins the line, whose head keeps a place in the store's line for all.
 */
final class SharedGate extends Gate {
    /** Claims and grants that are not over. All of them are in the engine's {@link Gates}. */
    private int open;

    SharedGate(Engine engine, String key) {
        super(engine, key);
    }

    @Override
    Alarm alarm() {
        return new Alarm(this);
    }

    @Override
    boolean isTakenHere() {
        return false;
    }

    @Override
    boolean isUnused() {
        return open == 0;
    }

    @Override
    void admit(Waiter waiter, AfterUnlock after) {
        if (line.head() == null) {
            after.leaveToCaller(newContender(waiter, false, true));
        } else if (waiter.triesOnce) {
            refuseOnce(waiter, after);
        } else {
            line.join(waiter);
        }
    }

    @Override
    Contender newContender(Waiter asker, boolean queue, boolean direct) {
        Contender fresh = super.newContender(asker, queue, direct);
        engine.gates.register(fresh);
        open++;
        return fresh;
    }

    /** A claim stays registered while its grant is held. */
    @Override
    void concluded(Contender asked) {
        if (asked.grant == null) {
            unregister(asked.claim.owner());
        }
    }

    @Override
    @Nullable
    Contender contenderOf(OwnerId owner) {
        return engine.gates.sharedClaimOf(owner);
    }

    @Override
    @Nullable
    HeldGrant grantOf(OwnerId owner) {
        Contender claim = contenderOf(owner);
        return claim == null ? null : claim.grant;
    }

    private void unregister(OwnerId owner) {
        if (engine.gates.unregister(owner)) {
            open--;
        }
    }

    /** Whoever was refused directly, and has time left, waits in line. */
    @Override
    void refused(Contender direct, Refusal why, AfterUnlock after) {
        Waiter waiter = direct.directFor;
        if (waiter == null || waiter.isSettled()) {
            return;
        }
        if (waiter.isOverdue() || engine.now() >= waiter.deadlineNanos) {
            settle(waiter, why, after);
            return;
        }
        if (engine.isClosed()) {
            settle(waiter, closed(), after);
            return;
        }
        line.join(waiter);
        if (line.head() == waiter) {
            Contender fresh = contendForHead(after);
            if (fresh == null) {
                return;
            }
            if (why.isTaken()) {
                after.leaveToCaller(fresh);
            } else {
                fresh.askAt(engine.now() + engine.pace.backoff(0));
            }
        }
    }

    @Override
    void keep(HeldGrant fresh) {
        fresh.alarm.watch(fresh);
    }

    /** Every lease has a grant of its own, which goes back with it. */
    @Override
    boolean passOn(Hold released, long now, AfterUnlock after) {
        return false;
    }

    @Override
    void markWanted(HeldGrant held, AfterUnlock after) {
        held.wanted = true;
    }

    @Override
    void forget(HeldGrant ended) {
        ended.alarm.clear();
        unregister(ended.owner());
    }
}
