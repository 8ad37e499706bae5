package dev.holdfast.jfr;

import org.jspecify.annotations.Nullable;

/** Makes and commits events. Used only if the platform has a flight recorder. */
final class Recorder {
    private Recorder() {}

    // Whether an event is wanted is asked on a fresh object, because that is what the JIT compiler makes free of
    // charge.

    static @Nullable Object beginWait() {
        WaitEvent event = new WaitEvent();
        if (!event.isEnabled()) {
            return null;
        }
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
        HoldEvent event = new HoldEvent();
        if (!event.isEnabled()) {
            return null;
        }
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
        return new RenewalEvent().isEnabled();
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
