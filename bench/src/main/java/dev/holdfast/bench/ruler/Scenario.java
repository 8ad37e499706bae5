package dev.holdfast.bench.ruler;

import java.util.List;

/**
 * A situation in which locks are compared, and what is asked of ours in it.
 *
 * @param name on the command line
 * @param title for people
 * @param kind what is done
 * @param processes of each maker
 * @param size what its kind says
 * @param makers in the order of their turns, ours first
 * @param targets what is asked
 */
record Scenario(
        String name, String title, Kind kind, int processes, int size, List<Maker> makers, List<Target> targets) {

    /** What is done, and what the size means. */
    enum Kind {
        /** Every thread has a name of its own; threads in each process. */
        OWN_NAMES,
        /** All threads want the same name; threads in each process. */
        ONE_NAME,
        /** Two processes pass one name to and fro; how many milliseconds, at most, a waiter is kept waiting. */
        HAND_OVER,
        /** Many leases are held, and nothing else happens; leases. */
        HELD,
        /** The first process has the lock, all others wait for it, first with one thread; threads in each process. */
        WAITING,
        /** One process does something alone and tells its figures; how often. */
        ALONE
    }

    /** Whether everybody uses one lock, so that every entry is on the blackboard. */
    boolean isShared() {
        return kind == Kind.ONE_NAME || kind == Kind.HAND_OVER;
    }

    /** The name of the lock, or what the names of the locks begin with. */
    String lock(Maker maker) {
        return "bench-" + name + "-" + maker.word();
    }

    /** The command that begins a round in a process. */
    String command(Maker maker) {
        return switch (kind) {
            case OWN_NAMES -> "race " + size + " own " + lock(maker);
            case ONE_NAME -> "race " + size + " shared " + lock(maker);
            case HAND_OVER -> "hand-over " + size + " " + lock(maker);
            case HELD -> "hold " + size + " " + lock(maker);
            case WAITING -> "wait " + size + " " + lock(maker);
            case ALONE -> name + " " + size;
        };
    }
}
