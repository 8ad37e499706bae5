package dev.holdfast.spring.locked;

import java.util.List;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Keeps the locks of a method that was called within a transaction until that transaction has ended: released when the
 * method returns, the next holder would not see its changes yet.
 */
final class TransactionEnd implements TransactionSynchronization {
    private static final Log log = LogFactory.getLog(TransactionEnd.class);

    private final List<Taken> taken;

    private TransactionEnd(List<Taken> taken) {
        this.taken = taken;
    }

    static boolean isActive() {
        return TransactionSynchronizationManager.isActualTransactionActive()
                && TransactionSynchronizationManager.isSynchronizationActive();
    }

    static void keepUntil(List<Taken> taken) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionEnd(taken));
    }

    @Override
    public void beforeCommit(boolean readOnly) {
        if (!readOnly) {
            taken.forEach(each -> each.lease().ensureHeld());
        }
    }

    @Override
    public void afterCompletion(int status) {
        for (Taken each : taken) {
            HeldLocks.remove(each.lease());
            Throwable lost = each.doneWith(null);
            if (lost != null) {
                log.warn("A transaction has ended without the protection of its lock", lost);
            }
        }
    }
}
