package dev.holdfast.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.StackTrace;

/** What the events of a lock have in common. */
@Category("Holdfast")
@StackTrace(false)
abstract class LockEvent extends Event {
    @Label("Lock")
    @Description("the name of the lock; several are joined by a comma")
    String lock = "";

    @Label("Fencing Token")
    long token;
}
