package dev.holdfast.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Threshold;

/** A lock was held; from the grant to the release or loss. */
@Name("dev.holdfast.Hold")
@Label("Lock Hold")
@Description("A distributed lock was held")
@Threshold("10 ms")
final class HoldEvent extends LockEvent {
    @Label("End")
    @Description("released, or why it was lost")
    String end = "";
}
