package dev.holdfast.engine;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What remains to be done after a step of a gate, once its monitor is free: wake waiters, call the store, tell users. One
 * thing is left to whoever took the step, who has a thread for it: the first call of a claim.
 */
final class AfterUnlock {
    private @Nullable Waiter woken;
    private @Nullable Waiter next;
    private @Nullable Waiter nextButOne;
    private @Nullable List<Runnable> rest;
    private @Nullable Contender leftToCaller;

    void wake(Waiter waiter) {
        if (woken == null) {
            woken = waiter;
        } else {
            then(waiter::deliver);
        }
    }

    /** Lets those who are next in line wake up while the lock is out. */
    void expectSoon(Waiter first, @Nullable Waiter second) {
        next = first;
        nextButOne = second;
    }

    /** The first call of a claim is made by whoever took the step. */
    void leaveToCaller(Contender fresh) {
        leftToCaller = fresh;
    }

    /** The claim whose first call is to be made, or null. */
    @Nullable
    Contender leftToCaller() {
        return leftToCaller;
    }

    void then(Runnable action) {
        if (rest == null) {
            rest = new ArrayList<>(2);
        }
        rest.add(action);
    }

    /** Runs everything; one action that fails does not keep the others from being run. */
    void run() {
        if (woken != null) {
            guarded(woken::deliver);
        }
        if (next != null) {
            next.expectSoon();
        }
        if (nextButOne != null) {
            nextButOne.expectSoon();
        }
        if (rest != null) {
            rest.forEach(AfterUnlock::guarded);
        }
    }

    private static void guarded(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException | Error broken) {
            Log.error("a step of the Holdfast engine failed", broken);
        }
    }
}
