package dev.holdfast.engine.client;

import dev.holdfast.ClientClosedException;
import dev.holdfast.Lease;
import dev.holdfast.LeasedLock;
import dev.holdfast.engine.Engine;
import dev.holdfast.engine.Terms;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;

/** A lock as the JDK knows it: owned by the thread that took it, and re-entrant. Thread-safe. */
final class ThreadOwnedLock implements LeasedLock {
    private final Engine engine;
    private final Terms terms;
    private final ThreadHolds holds;

    ThreadOwnedLock(Engine engine, Terms terms, ThreadHolds holds) {
        this.engine = engine;
        this.terms = terms;
        this.holds = holds;
    }

    @Override
    public void lock() {
        if (reenter()) {
            return;
        }
        holds.refuseSelfDeadlock(terms);
        boolean interrupted = Thread.interrupted();
        try {
            own(engine.acquireUninterruptibly(terms, Long.MAX_VALUE));
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        tryLockFor(Long.MAX_VALUE);
    }

    @Override
    public boolean tryLock() {
        return reenter() || own(engine.acquireUninterruptibly(terms, 0));
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        return tryLockFor(Math.max(0, unit.toNanos(time)));
    }

    private boolean tryLockFor(long waitNanos) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted before waiting for '" + terms.describe() + "'");
        }
        if (reenter()) {
            return true;
        }
        if (waitNanos == 0) {
            return own(engine.acquireUninterruptibly(terms, 0));
        }
        holds.refuseSelfDeadlock(terms);
        return own(engine.acquire(terms, waitNanos));
    }

    @Override
    public void unlock() {
        ThreadHolds.Nesting nesting = holds.current(terms);
        if (nesting == null) {
            throw new IllegalMonitorStateException(
                    "the current thread does not hold '" + terms.describe() + "' through asLock()");
        }
        Lease lease = nesting.lease;
        if (--nesting.depth == 0) {
            holds.remove(nesting);
            lease.close();
        } else {
            // Whoever leaves an inner block must know as well that its work was not protected.
            lease.ensureHeld();
        }
    }

    @Override
    public Optional<Lease> lease() {
        ThreadHolds.Nesting nesting = holds.current(terms);
        return nesting == null
                ? Optional.empty()
                : Optional.of(new BorrowedLease(nesting.lease, "it ends with the last unlock()"));
    }

    @Override
    public boolean isHeldByCurrentThread() {
        ThreadHolds.Nesting nesting = holds.current(terms);
        return nesting != null && nesting.lease.isHeld();
    }

    @Override
    public int holdCount() {
        ThreadHolds.Nesting nesting = holds.current(terms);
        return nesting == null ? 0 : nesting.depth;
    }

    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException("a distributed lock has no conditions");
    }

    @Override
    public String toString() {
        return "Lock[" + terms.describe() + "]";
    }

    private boolean reenter() {
        ThreadHolds.Nesting nesting = holds.current(terms);
        if (nesting == null) {
            return false;
        }
        // Whoever enters again on a lost lease would work without protection.
        nesting.lease.ensureHeld();
        nesting.depth++;
        return true;
    }

    private boolean own(@Nullable Lease lease) {
        if (lease == null) {
            return false;
        }
        if (engine.isClosed()) {
            lease.release();
            throw new ClientClosedException(engine.clientName);
        }
        holds.add(terms, lease);
        return true;
    }
}
