package dev.holdfast.spring.locked;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/** Keeps a transaction from being committed when a lock under which it ran was lost meanwhile. */
public final class CommitGuard implements TransactionExecutionListener {

    @Override
    public void beforeCommit(TransactionExecution transaction) {
        if (!transaction.isReadOnly()) {
            HeldLocks.ensureHeld();
        }
    }
}
