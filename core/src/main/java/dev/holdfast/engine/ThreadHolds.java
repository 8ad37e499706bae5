package dev.holdfast.engine;

import dev.holdfast.Lease;
import dev.holdfast.SelfDeadlockException;
import dev.holdfast.spi.Claim;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * What threads hold through {@code asLock()}, for all views of one client. The leases are kept here strongly, so a
 * thread-owned hold is never released by garbage collection. Thread-safe; each entry is used by its own thread only.
 */
final class ThreadHolds {
    private final ConcurrentMap<Key, Nesting> holds = new ConcurrentHashMap<>();

    /** A thread and what it holds; parts include kind and units, so that read and write are told apart. */
    private record Key(Thread thread, List<Claim.Part> parts) {}

    /** A lease and how often its thread has entered. */
    static final class Nesting {
        final Lease lease;
        int depth = 1;

        Nesting(Lease lease) {
            this.lease = lease;
        }
    }

    @Nullable
    Nesting current(Terms terms) {
        return holds.get(new Key(Thread.currentThread(), terms.parts));
    }

    void add(Terms terms, Lease lease) {
        holds.put(new Key(Thread.currentThread(), terms.parts), new Nesting(lease));
    }

    void remove(Terms terms) {
        holds.remove(new Key(Thread.currentThread(), terms.parts));
    }

    /** A thread that waits for a name it holds itself would wait for ever, unless both take a share only. */
    void refuseSelfDeadlock(Terms terms) {
        if (holds.isEmpty()) {
            return;
        }
        Thread me = Thread.currentThread();
        for (Key held : holds.keySet()) {
            if (held.thread == me) {
                for (Claim.Part mine : held.parts) {
                    refuse(terms, mine);
                }
            }
        }
    }

    private static void refuse(Terms terms, Claim.Part mine) {
        for (Claim.Part part : terms.parts) {
            if (part.name().equals(mine.name()) && part.units() > part.capacity() - mine.units()) {
                throw new SelfDeadlockException("this thread holds '" + mine.name()
                        + "' through asLock() and would wait for itself; use asLock() for the nested use too, pass the"
                        + " outer lease along, or release first (there is no upgrade from read to write)");
            }
        }
    }
}
