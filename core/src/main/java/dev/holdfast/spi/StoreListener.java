package dev.holdfast.spi;

import dev.holdfast.LossReason;
import java.util.List;

/**
 * What a store tells the engine without having been asked. Messages are hints: they may come late, twice, out of order
 * or not at all. Every method returns quickly, does no I/O, runs no user code, and may be called by any thread that
 * holds no lock of the store's.
 */
public interface StoreListener {

    /** In place of an anchor: it is not known how old the grant is, so it must be confirmed before use. */
    long UNKNOWN_ANCHOR = -1;

    /**
     * It may be worth asking again for a waiting claim.
     *
     * @param name one of the claim's names
     * @param owner the claim's owner
     */
    void retry(String name, OwnerId owner);

    /**
     * A waiting claim was granted.
     *
     * @param grants one per part of the claim
     * @param anchorNanos a reading of the context's clock that is certainly not later than the grant, such as
     *     {@link ServerClock} computes; or {@link #UNKNOWN_ANCHOR}
     */
    void granted(List<Grant> grants, long anchorNanos);

    /**
     * Another claim waits for a name that this client holds.
     *
     * @param name the name
     * @param epoch the epoch that it was held with
     */
    void wanted(String name, long epoch);

    /**
     * A grant was taken away.
     *
     * @param name the name
     * @param owner its owner
     * @param epoch its epoch
     * @param reason why
     */
    void lost(String name, OwnerId owner, long epoch, LossReason reason);

    /**
     * A session has ended, and with it every grant that was bound to it.
     *
     * @param session the session
     */
    void sessionLost(String session);
}
