package dev.holdfast.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Threshold;

/** Somebody waited for a lock; from the call to its end. */
@Name("dev.holdfast.Wait")
@Label("Lock Wait")
@Description("Somebody waited for a distributed lock")
@Threshold("10 ms")
final class WaitEvent extends LockEvent {
    @Label("Outcome")
    @Description("store, hand_off or sticky: where the lock came from; or contended, failed, abandoned")
    String outcome = "";
}
