package dev.holdfast.spring.locked;

import dev.holdfast.Lease;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** The leases under which the current thread runs, innermost first: for nested calls and for transactions. */
final class HeldLocks {
    private static final ThreadLocal<Deque<Entry>> CURRENT = new ThreadLocal<>();

    private HeldLocks() {}

    private record Entry(LockPlan.Key key, Lease lease) {}

    static void push(LockPlan.Key key, Lease lease) {
        Deque<Entry> entries = CURRENT.get();
        if (entries == null) {
            entries = new ArrayDeque<>();
            CURRENT.set(entries);
        }
        entries.push(new Entry(key, lease));
    }

    static void remove(Lease lease) {
        Deque<Entry> entries = CURRENT.get();
        if (entries != null) {
            entries.removeIf(entry -> entry.lease() == lease);
            if (entries.isEmpty()) {
                CURRENT.remove();
            }
        }
    }

    /** {@return the lease that this thread has for the same names in the same mode} */
    static @Nullable Lease find(LockPlan.Key key) {
        Deque<Entry> entries = CURRENT.get();
        if (entries == null) {
            return null;
        }
        return entries.stream()
                .filter(entry -> entry.key().equals(key))
                .map(Entry::lease)
                .findFirst()
                .orElse(null);
    }

    /**
     * Passes if all of them are held.
     *
     * @throws dev.holdfast.LeaseLostException if one was lost
     */
    static void ensureHeld() {
        Deque<Entry> entries = CURRENT.get();
        if (entries != null) {
            entries.forEach(entry -> entry.lease().ensureHeld());
        }
    }
}
