package dev.holdfast.jfr;

import org.jspecify.annotations.Nullable;

/**
 * Tells the Java Flight Recorder of waits, holds, losses and renewals, on the thread where they happen. While nobody
 * records, each call is one check. Where the platform has no flight recorder, nothing happens. Thread-safe.
 *
 * <p>Not a listener, because a recording may begin at any time: listeners are told through a queue, which costs more
 * than the check, and the times of an event are those at which it is begun and ended.
 */
public final class FlightRecords {
    private static final boolean PRESENT = isPresent();

    private FlightRecords() {}

    private static boolean isPresent() {
        try {
            Class.forName("jdk.jfr.Event", false, FlightRecords.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException | LinkageError missing) {
            return false;
        }
    }

    /** {@return the event of a wait that begins now, or null if nobody records} */
    public static @Nullable Object beginWait() {
        return PRESENT ? Recorder.beginWait() : null;
    }

    /** Ends a wait. The token is 0 if there is no lease. */
    public static void endWait(@Nullable Object begun, String lock, long token, String outcome) {
        if (begun != null) {
            Recorder.endWait(begun, lock, token, outcome);
        }
    }

    /** {@return the event of a hold that begins now, or null if nobody records} */
    public static @Nullable Object beginHold() {
        return PRESENT ? Recorder.beginHold() : null;
    }

    /** Ends a hold. */
    public static void endHold(@Nullable Object begun, String lock, long token, String end) {
        if (begun != null) {
            Recorder.endHold(begun, lock, token, end);
        }
    }

    /** A lease was lost. */
    public static void lost(String lock, long token, String reason) {
        if (PRESENT) {
            Recorder.lost(lock, token, reason);
        }
    }

    /** {@return whether anybody records renewals} */
    public static boolean wantsRenewals() {
        return PRESENT && Recorder.wantsRenewals();
    }

    /** The store extended a lease. */
    public static void renewed(String lock, long token, long lagNanos) {
        if (PRESENT) {
            Recorder.renewed(lock, token, lagNanos);
        }
    }
}
