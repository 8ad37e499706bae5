package dev.holdfast.store.memory;

import dev.holdfast.LossReason;
import dev.holdfast.StoreTraits;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.store.table.LockTable;
import dev.holdfast.store.table.Notices;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/** A lock table with the monitor that guards it, shared by the stores that were opened under one name. Thread-safe. */
final class SharedMemory {
    /** The origin of epochs, 2025-01-01, so that tokens of a later run are larger than those of an earlier one. */
    private static final long EPOCH_ORIGIN_MILLIS = 1_735_689_600_000L;

    private static final AtomicLong EPOCHS =
            new AtomicLong(TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis() - EPOCH_ORIGIN_MILLIS));

    private static final Map<String, SharedMemory> NAMED = new HashMap<>();

    private final String name;
    private final List<Runnable> messages = new ArrayList<>();
    private final LockTable<MemoryStore> table =
            new LockTable<>(StoreTraits.Expiry.LEASE, EPOCHS::incrementAndGet, new Outbox());

    /** How many open stores use it; guarded by {@link #NAMED}. */
    private int users;

    SharedMemory(String name) {
        this.name = name;
    }

    static SharedMemory named(String name) {
        synchronized (NAMED) {
            SharedMemory memory = NAMED.computeIfAbsent(name, SharedMemory::new);
            memory.users++;
            return memory;
        }
    }

    void leave() {
        synchronized (NAMED) {
            if (--users == 0) {
                NAMED.remove(name, this);
            }
        }
    }

    /** Runs one atomic step, then delivers what it has to tell, outside of the monitor. */
    <R> R step(Function<LockTable<MemoryStore>, R> step) {
        R result;
        List<Runnable> outgoing = List.of();
        synchronized (table) {
            result = step.apply(table);
            if (!messages.isEmpty()) {
                outgoing = List.copyOf(messages);
                messages.clear();
            }
        }
        outgoing.forEach(Runnable::run);
        return result;
    }

    /** Collects messages; called inside a step only. */
    private final class Outbox implements Notices<MemoryStore> {
        @Override
        public void granted(MemoryStore client, List<Grant> grants) {
            long anchor = client.context().clock().nanos();
            messages.add(() -> client.context().listener().granted(grants, anchor));
        }

        @Override
        public void wanted(MemoryStore client, String lockName, long epoch) {
            messages.add(() -> client.context().listener().wanted(lockName, epoch));
        }

        @Override
        public void lost(MemoryStore client, String lockName, OwnerId owner, long epoch, LossReason reason) {
            messages.add(() -> client.context().listener().lost(lockName, owner, epoch, reason));
        }
    }
}
