package dev.holdfast.bench.ruler;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A situation in which locks are compared, and what is asked of ours in it.
 *
 * @param name on the command line
 * @param title for people
 * @param kind what is done
 * @param processes of each maker
 * @param size what its kind says
 * @param lease what everybody is set to, where that is part of what is measured; otherwise everybody's own default
 * @param makers in the order of their turns, ours first
 * @param targets what is asked
 */
record Scenario(
        String name,
        String title,
        Kind kind,
        int processes,
        int size,
        Optional<Duration> lease,
        List<Maker> makers,
        List<Target> targets) {

    /** What is done, what the size means, and by which figure makers are compared. */
    enum Kind {
        /** Every thread has a name of its own; threads in each process. */
        OWN_NAMES(Figure.PER_SECOND, "pairs a second", true),
        /** Every thread takes three names of its own at once; threads in each process. */
        THREE_NAMES(Figure.PER_SECOND, "pairs a second", true),
        /** All threads want the same name; threads in each process. */
        ONE_NAME(Figure.PER_SECOND, "grants a second", true),
        /** Two processes pass one name to and fro; how many milliseconds, at most, a waiter is kept waiting. */
        HAND_OVER(Figure.LATENCY_MICROS, "microseconds", false),
        /** One thread takes and gives back names in turn, with work in between, and is timed while it takes them; names. */
        ACQUIRE(Figure.LATENCY_MICROS, "microseconds", false),
        /** The same without work in between: servers may still be busy with the last release. Names. */
        ACQUIRE_AT_ONCE(Figure.LATENCY_MICROS, "microseconds", false),
        /** Many leases are held, and nothing else happens; leases. */
        HELD(Figure.ROUND_TRIPS, "requests in a renewal period", false),
        /** The first process has the lock, all others wait for it, first with one thread; threads in each process. */
        WAITING(Figure.REQUESTS_OF_MANY, "requests a second", false),
        /** Many leases are held in a process that looks at its heap; leases. */
        MEMORY(Figure.BYTES_PER_LEASE, "bytes a lease", false),
        /** The holder is killed while another process waits; no size. */
        RECOVERY(Figure.RECOVERY_LEASES, "times the lease", false),
        /** Thousands wait in one process; waiters. */
        CROWD(Figure.PER_SECOND, "grants a second", true);

        private final Figure figure;
        private final String unit;
        private final boolean moreIsBetter;

        Kind(Figure figure, String unit, boolean moreIsBetter) {
            this.figure = figure;
            this.unit = unit;
            this.moreIsBetter = moreIsBetter;
        }

        Figure figure() {
            return figure;
        }

        /** Of the figure, for people. */
        String unit() {
            return unit;
        }

        boolean isMoreBetter() {
            return moreIsBetter;
        }

        /** Whether all makers take turns in rounds, so that figures of one round belong together. */
        boolean isRace() {
            return this == OWN_NAMES || this == THREE_NAMES || this == ONE_NAME || isTimedPair();
        }

        private boolean isTimedPair() {
            return this == HAND_OVER || this == ACQUIRE || this == ACQUIRE_AT_ONCE;
        }
    }

    static Scenario of(String name, String title, Kind kind, int processes, int size, Maker... makers) {
        return new Scenario(name, title, kind, processes, size, Optional.empty(), List.of(makers), List.of());
    }

    Scenario withLease(Duration time) {
        return new Scenario(name, title, kind, processes, size, Optional.of(time), makers, targets);
    }

    /** Adds what is asked of ours. */
    Scenario asking(Target... asked) {
        return new Scenario(name, title, kind, processes, size, lease, makers, List.of(asked));
    }

    /** Adds another version of us, if ours is in it; an earlier one does not know every scenario. */
    Scenario withBefore() {
        if (!makers.contains(Maker.HOLDFAST)) {
            return this;
        }
        List<Maker> all =
                Stream.concat(makers.stream(), Stream.of(Maker.HOLDFAST_BEFORE)).toList();
        return new Scenario(name, title, kind, processes, size, lease, all, targets);
    }

    /** The first part of its name, which it has in common with those that differ only in size. */
    String family() {
        return name.split("-", 2)[0];
    }

    /** Whether it goes by a word on the command line: its name, or the first part of it. */
    boolean isCalled(String word) {
        return name.equals(word) || name.startsWith(word + "-");
    }

    /** Whether everybody uses one lock, so that every entry is on the blackboard. */
    boolean isShared() {
        return kind == Kind.ONE_NAME || kind == Kind.HAND_OVER;
    }

    /** The name of the lock, or what the names of the locks begin with. */
    String lock(Maker maker) {
        return "bench-" + name + "-" + maker.word();
    }

    /** The command that begins it in a process. */
    String command(Maker maker) {
        return switch (kind) {
            case OWN_NAMES -> "race " + size + " own " + lock(maker);
            case THREE_NAMES -> "race " + size + " three " + lock(maker);
            case ONE_NAME -> "race " + size + " shared " + lock(maker);
            case HAND_OVER -> "hand-over " + size + " " + lock(maker);
            case ACQUIRE -> "acquire " + size + " " + lock(maker);
            case ACQUIRE_AT_ONCE -> "acquire-at-once " + size + " " + lock(maker);
            case HELD -> "fill " + size + " " + lock(maker);
            case WAITING -> "wait " + size + " " + lock(maker);
            case MEMORY -> "memory " + size + " " + lock(maker);
            case RECOVERY -> "take " + lock(maker);
            case CROWD -> name + " " + size;
        };
    }
}
