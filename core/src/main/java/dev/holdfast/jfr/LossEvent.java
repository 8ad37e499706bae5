package dev.holdfast.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** A lease ended before it was released. */
@Name("dev.holdfast.Loss")
@Label("Lock Loss")
@Description("A distributed lock was lost before it was released")
final class LossEvent extends LockEvent {
    @Label("Reason")
    String reason = "";
}
