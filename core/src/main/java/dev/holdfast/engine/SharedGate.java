package dev.holdfast.engine;

import dev.holdfast.ClientClosedException;
import dev.holdfast.HoldfastEvent.Acquired.Source;
import dev.holdfast.spi.OwnerId;
import org.jspecify.annotations.Nullable;

/**
 * The gate of locks of which one client may hold several at a time, or that span several names: readers, permits, sets of
 * names. Every lease has a grant of its own. While nobody stands in line, each waiter asks the store directly; whoever is
 * refused joins the line, whose head keeps a place in the store's line for all.
 */
final class SharedGate extends Gate {
    /** Claims and grants that are not over. All of them are in the engine's register. */
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
            waiter.assignment = newContender(waiter.terms, false, waiter);
        } else if (waiter.triesOnce) {
            refuseOnce(waiter, after);
        } else {
            line.join(waiter);
        }
    }

    @Override
    Contender newContender(Terms terms, boolean queue, @Nullable Waiter directFor) {
        Contender fresh = super.newContender(terms, queue, directFor);
        open++;
        engine.register(fresh);
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
        return engine.registered(owner);
    }

    private void unregister(OwnerId owner) {
        if (engine.unregister(owner)) {
            open--;
        }
    }

    @Override
    void refusedDirectly(Contender direct, @Nullable RuntimeException fault, AfterUnlock after) {
        Waiter waiter = direct.directFor;
        if (waiter == null || waiter.isSettled()) {
            return;
        }
        if (engine.isClosed()) {
            settle(waiter, new ClientClosedException(engine.clientName), after);
            return;
        }
        if (waiter.isOverdue() || engine.now() >= waiter.deadlineNanos) {
            settle(waiter, fault, after);
            return;
        }
        line.join(waiter);
        if (line.head() == waiter && contender == null) {
            Contender fresh = newContender(waiter.terms, true, null);
            contender = fresh;
            if (fault == null) {
                waiter.assignment = fresh;
            } else {
                fresh.isNotAsked();
                engine.timeline.schedule(fresh, engine.now() + engine.pace.backoff(0));
            }
        }
    }

    @Override
    boolean begin(HeldGrant fresh, Contender asked, long now, AfterUnlock after) {
        Waiter taker = asked.directFor != null ? asked.directFor : line.head();
        if (taker == null || taker.isSettled() || asked.wasLost(fresh)) {
            return false;
        }
        fresh.watch();
        remove(taker);
        HeldLease lease = new HeldLease(fresh, taker, now);
        fresh.lendTo(lease.hold());
        taker.settle(lease, null);
        after.wake(taker);
        engine.events.acquired(taker, lease.hold(), Source.STORE, now, after);
        return true;
    }

    /** The store's grant goes back with the lease. */
    @Override
    ReleaseResult release(Hold hold) {
        AfterUnlock after = new AfterUnlock();
        ReleaseResult result;
        synchronized (this) {
            result = hold.grant.giveBack(hold, engine.now(), after);
            if (result == ReleaseResult.RELEASE_AT_STORE) {
                hold.grant.end();
                resume(after);
            }
            retireIfIdle();
        }
        after.run();
        return result;
    }

    @Override
    void markWanted(HeldGrant held, AfterUnlock after) {
        held.wanted = true;
    }

    @Override
    void forget(HeldGrant ended) {
        ended.alarm().clear();
        unregister(ended.owner());
    }
}
