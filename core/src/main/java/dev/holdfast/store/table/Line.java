package dev.holdfast.store.table;

import dev.holdfast.LockKind;
import dev.holdfast.spi.Claim;
import java.util.ArrayList;
import java.util.List;

/**
 * One name in use: who holds it and who waits, in order of arrival. Guarded by whoever guards the {@link LockTable}.
 *
 * @param <C> how a client is known to the table
 */
final class Line<C> {
    final String name;
    final LockKind kind;
    final int capacity;
    final List<LiveClaim<C>> holders = new ArrayList<>(1);
    final List<LiveClaim<C>> waiters = new ArrayList<>(0);

    Line(Claim.Part part) {
        this.name = part.name();
        this.kind = part.kind();
        this.capacity = part.capacity();
    }

    boolean matches(Claim.Part part) {
        return kind == part.kind() && capacity == part.capacity();
    }

    boolean isIdle() {
        return holders.isEmpty() && waiters.isEmpty();
    }

    /** The grant rule: the units of everyone ahead of the claim, and its own, fit the capacity. */
    boolean fits(int units, long arrival) {
        long taken = units;
        for (LiveClaim<C> holder : holders) {
            taken += holder.units(name);
        }
        for (LiveClaim<C> waiter : waiters) {
            if (waiter.arrival >= arrival) {
                break;
            }
            taken += waiter.units(name);
        }
        return taken <= capacity;
    }
}
