package dev.holdfast.redis.redlock;

/**
 * The parts of the protocol that could be done otherwise, and would then be wrong or slow: tests replace them, one at a
 * time, to show that they notice.
 *
 * @param hints what a client proposes as the next epoch
 * @param fencing how the epoch is written back to a node
 * @param copying what the floor of an empty node is taken from
 */
record RedlockRules(Hints hints, RedlockCalls.Fencing fencing, Recovery.Copying copying) {
    static RedlockRules sound() {
        return new RedlockRules(Hints.byTheClock(), RedlockCalls.Fencing.SOUND, Recovery.Copying.AFTER_WAITING);
    }

    RedlockRules with(Hints other) {
        return new RedlockRules(other, fencing, copying);
    }

    RedlockRules with(RedlockCalls.Fencing other) {
        return new RedlockRules(hints, other, copying);
    }

    RedlockRules with(Recovery.Copying other) {
        return new RedlockRules(hints, fencing, other);
    }
}
