package dev.holdfast.simulation;

/** One request for a lease, from the call to its outcome. */
final class Wait {
    final Process process;
    final Spot spot;
    final Way way;
    final long startedAt;

    /** How many answers the client had heard when it began. */
    final int answersBefore;

    /** Whether the client had something to do with these names already. */
    final boolean contendedLocally;

    /** Calls of the whole history in their order. */
    final long order;

    /** How long it waits at most. */
    final long limitNanos;

    boolean cancelled;
    boolean settled;

    /** When its lease was dispatched, in true time; -1 if it has none. */
    long servedAt = -1;

    /** How the program asks. */
    enum Way {
        WAIT,
        TIMED,
        ONCE,
        INLINE,
        RE_ENTRANT
    }

    Wait(Process process, Spot spot, Way way, long limitNanos, long startedAt, long order, boolean contendedLocally) {
        this.process = process;
        this.spot = spot;
        this.way = way;
        this.limitNanos = limitNanos;
        this.startedAt = startedAt;
        this.answersBefore = process.answers();
        this.order = order;
        this.contendedLocally = contendedLocally;
    }

    @Override
    public String toString() {
        return way + " " + order + " of " + process + " for " + spot;
    }
}
