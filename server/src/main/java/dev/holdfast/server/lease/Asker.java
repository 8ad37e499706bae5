package dev.holdfast.server.lease;

import dev.holdfast.server.wire.Problem;
import java.util.function.Consumer;

/** The client on the other side of the wire, who may have gone by the time there is an answer. */
public interface Asker {
    /** {@return whether it has gone without an answer} */
    boolean isGone();

    /**
     * Hands a lease out.
     *
     * @param lease the lease
     * @param whenWritten is told whether all of the answer went out
     * @return whether the answer is on its way
     */
    boolean granted(HeldLease lease, Consumer<Boolean> whenWritten);

    /** Tells why there is no lease. */
    void refused(Problem problem);
}
