package dev.holdfast.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Timespan;

/** The store extended a lease. */
@Name("dev.holdfast.Renewal")
@Label("Lock Renewal")
@Description("The store extended the lease of a distributed lock")
final class RenewalEvent extends LockEvent {
    @Label("Lag")
    @Description("from when the renewal was due to the store's answer")
    @Timespan(Timespan.NANOSECONDS)
    long lag;
}
