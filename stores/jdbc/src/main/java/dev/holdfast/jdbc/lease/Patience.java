package dev.holdfast.jdbc.lease;

import dev.holdfast.spi.Claim;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * How long a waiter keeps its place after it was last heard of, and how often it has to be heard of. Immutable.
 *
 * <p>A waiter for one unit of one name, which a plain lock has only one of, is handed it when its turn comes. If it is dead
 * by then, those behind it lose the short time of that first grant ({@link Lines#PROVISIONAL_MICROS}), so it may keep its
 * place for long. A waiter for several names or units can be first in line without being granted anything: nobody behind it
 * is granted what is free until it has lost its place. So it loses it soon, and says more often that it lives.
 *
 * <p>A living one keeps its place as long as its calls are answered within their command timeout. {@link Watch} looks at
 * it every half second at least; a look that comes just before the sign of life is due sends none, so at worst two
 * looks, each of one command timeout, and one pause lie between the ends of two signs.
 */
record Patience(long blockingMicros) {
    /** For a waiter that can be handed the lock; a longer lease is given twice that at most. */
    private static final long PLAIN_MICROS = 12_000_000;

    /** How old a sign of life of a waiter that may block others becomes before it is given again. */
    private static final long BEAT_MICROS = 1_000_000;

    /** The longest pause between two looks, and as much for a thread that has to wait for a processor. */
    private static final long PAUSES_MICROS = 1_000_000;

    static Patience of(Duration commandTimeout) {
        long command = TimeUnit.NANOSECONDS.toMicros(commandTimeout.toNanos());
        return new Patience(Math.min(PLAIN_MICROS, 2 * command + BEAT_MICROS + PAUSES_MICROS));
    }

    /** How long a waiter that is heard of now keeps its place. */
    long microsFor(Claim claim) {
        return isPlain(claim)
                ? Math.max(PLAIN_MICROS, Math.min(Entry.micros(claim), 2 * PLAIN_MICROS))
                : blockingMicros;
    }

    /** Whether a waiter that would lose its place so soon has to be heard of. */
    boolean isDue(Claim claim, long leftMicros) {
        long whole = microsFor(claim);
        return leftMicros < (isPlain(claim) ? whole / 2 : whole - BEAT_MICROS);
    }

    private static boolean isPlain(Claim claim) {
        return claim.parts().size() == 1 && claim.parts().get(0).units() == 1;
    }
}
