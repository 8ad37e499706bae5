package dev.holdfast.engine.client;

import dev.holdfast.Lease;
import dev.holdfast.LossReason;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * A lease as those see it who may use but not release it, because somebody else counts on it. Thread-safe.
 *
 * @param lease the lease
 * @param instead what to do to give it up
 */
record BorrowedLease(Lease lease, String instead) implements Lease {
    @Override
    public String name() {
        return lease.name();
    }

    @Override
    public List<String> names() {
        return lease.names();
    }

    @Override
    public long token() {
        return lease.token();
    }

    @Override
    public long token(String name) {
        return lease.token(name);
    }

    @Override
    public boolean isExclusive() {
        return lease.isExclusive();
    }

    @Override
    public boolean isHeld() {
        return lease.isHeld();
    }

    @Override
    public Duration remaining() {
        return lease.remaining();
    }

    @Override
    public void ensureHeld() {
        lease.ensureHeld();
    }

    @Override
    public void onLost(Consumer<LossReason> action) {
        lease.onLost(action);
    }

    @Override
    public boolean release() {
        throw refusal();
    }

    @Override
    public CompletableFuture<Boolean> releaseAsync() {
        throw refusal();
    }

    @Override
    public void close() {
        throw refusal();
    }

    @Override
    public String toString() {
        return lease.toString();
    }

    private IllegalStateException refusal() {
        return new IllegalStateException("this lease of '" + name() + "' is only lent to you; " + instead);
    }
}
