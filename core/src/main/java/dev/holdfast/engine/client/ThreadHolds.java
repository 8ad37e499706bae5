package dev.holdfast.engine.client;

import dev.holdfast.Lease;
import dev.holdfast.SelfDeadlockException;
import dev.holdfast.engine.Terms;
import dev.holdfast.spi.Claim;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * What threads hold through {@code asLock()}, for all views of one client. The leases are kept here strongly, so a
 * thread-owned hold is never released by garbage collection. Thread-safe: each thread uses its own list only.
 */
final class ThreadHolds {
    private final ConcurrentMap<Thread, List<Nesting>> holds = new ConcurrentHashMap<>();

    /** A lease and how often its thread has entered; parts tell read and write apart. */
    static final class Nesting {
        private final List<Claim.Part> parts;
        final Lease lease;
        int depth = 1;

        Nesting(List<Claim.Part> parts, Lease lease) {
            this.parts = parts;
            this.lease = lease;
        }
    }

    @Nullable
    Nesting current(Terms terms) {
        for (Nesting nesting : mine()) {
            if (nesting.parts.equals(terms.parts)) {
                return nesting;
            }
        }
        return null;
    }

    void add(Terms terms, Lease lease) {
        holds.computeIfAbsent(Thread.currentThread(), first -> new ArrayList<>(1))
                .add(new Nesting(terms.parts, lease));
    }

    void remove(Nesting nesting) {
        List<Nesting> mine = mine();
        mine.remove(nesting);
        if (mine.isEmpty()) {
            holds.remove(Thread.currentThread());
        }
    }

    private List<Nesting> mine() {
        List<Nesting> mine = holds.isEmpty() ? null : holds.get(Thread.currentThread());
        return mine == null ? List.of() : mine;
    }

    /** A thread that waits for a name it holds itself would wait for ever, unless both fit side by side. */
    void refuseSelfDeadlock(Terms terms) {
        List<Nesting> mine = mine();
        if (mine.isEmpty()) {
            return;
        }
        for (Claim.Part asked : terms.parts) {
            long held = mine.stream()
                    .filter(nesting -> nesting.lease.isHeld())
                    .flatMap(nesting -> nesting.parts.stream())
                    .filter(part -> part.name().equals(asked.name()))
                    .mapToLong(Claim.Part::units)
                    .sum();
            if (held > 0 && asked.units() > asked.capacity() - held) {
                throw new SelfDeadlockException("this thread holds '" + asked.name()
                        + "' through asLock() and would wait for itself; use asLock() for the nested use too,"
                        + " pass the outer lease along, or release first (there is no upgrade from read to write)");
            }
        }
    }
}
