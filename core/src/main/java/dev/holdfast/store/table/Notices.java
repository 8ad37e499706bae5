package dev.holdfast.store.table;

import dev.holdfast.LossReason;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.OwnerId;
import java.util.List;

/**
 * Receives what a {@link LockTable} wants its clients to hear.
 *
 * @param <C> how a client is known to the table
 */
public interface Notices<C> {
    /** A waiting claim of the client's was granted. */
    void granted(C client, List<Grant> grants);

    /** Somebody waits for a name that the client holds. */
    void wanted(C client, String name, long epoch);

    /** A grant of the client's was taken away. */
    void lost(C client, String name, OwnerId owner, long epoch, LossReason reason);
}
