package dev.holdfast.jfr;

import jdk.jfr.FlightRecorder;
import org.jspecify.annotations.Nullable;

/** Makes and commits events. Used only if the platform has a flight recorder. */
final class Recorder {
    // The cheapest question comes first: whether there has been a recording in this process at all.
    // Whether events are wanted is a property of their class; to ask one that is there already makes no garbage.
    private static final WaitEvent WAIT = new WaitEvent();
    private static final HoldEvent HOLD = new HoldEvent();
    private static final RenewalEvent RENEWAL = new RenewalEvent();

    private Recorder() {}

    static @Nullable Object beginWait() {
        if (!FlightRecorder.isInitialized() || !WAIT.isEnabled()) {
            return null;
        }
        WaitEvent event = new WaitEvent();
        event.begin();
        return event;
    }

    static void endWait(Object begun, String lock, long token, String outcome) {
        if (begun instanceof WaitEvent event) {
            event.end();
            if (event.shouldCommit()) {
                event.lock = lock;
                event.token = token;
                event.outcome = outcome;
                event.commit();
            }
        }
    }

    static @Nullable Object beginHold() {
        if (!FlightRecorder.isInitialized() || !HOLD.isEnabled()) {
            return null;
        }
        HoldEvent event = new HoldEvent();
        event.begin();
        return event;
    }

    static void endHold(Object begun, String lock, long token, String end) {
        if (begun instanceof HoldEvent event) {
            event.end();
            if (event.shouldCommit()) {
                event.lock = lock;
                event.token = token;
                event.end = end;
                event.commit();
            }
        }
    }

    static void lost(String lock, long token, String reason) {
        LossEvent event = new LossEvent();
        if (event.shouldCommit()) {
            event.lock = lock;
            event.token = token;
            event.reason = reason;
            event.commit();
        }
    }

    static boolean wantsRenewals() {
        return RENEWAL.isEnabled();
    }

    static void renewed(String lock, long token, long lagNanos) {
        RenewalEvent event = new RenewalEvent();
        if (event.shouldCommit()) {
            event.lock = lock;
            event.token = token;
            event.lag = lagNanos;
            event.commit();
        }
    }
}
