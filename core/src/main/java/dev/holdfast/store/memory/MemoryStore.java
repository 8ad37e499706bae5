package dev.holdfast.store.memory;

import dev.holdfast.LockOptions;
import dev.holdfast.LockView;
import dev.holdfast.StoreTraits;
import dev.holdfast.StoreTraits.Promise;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.RenewOutcome;
import dev.holdfast.spi.StoreContext;
import dev.holdfast.store.table.LockTable;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;

/** One client's access to a lock table in memory. Thread-safe. */
final class MemoryStore implements LockStore {
    private static final StoreTraits TRAITS = new StoreTraits(
            StoreTraits.Expiry.LEASE,
            Set.of(
                    Promise.FAIR,
                    Promise.PUSHES,
                    Promise.SEES_WAITERS,
                    Promise.READ_WRITE,
                    Promise.SEMAPHORE,
                    Promise.SEVERAL_NAMES,
                    Promise.ATOMIC_NAMES,
                    Promise.LOSS_BEFORE_REGRANT,
                    Promise.PAUSED_HOLDER_IS_REPLACED),
            LockOptions.SHORTEST_LEASE,
            Duration.ofDays(3650),
            "locks live and end with the process");

    private final SharedMemory memory;
    private final StoreContext context;
    private volatile boolean closed;

    MemoryStore(SharedMemory memory, StoreContext context) {
        this.memory = memory;
        this.context = context;
    }

    StoreContext context() {
        return context;
    }

    @Override
    public StoreTraits traits() {
        return TRAITS;
    }

    @Override
    public AcquireOutcome tryAcquire(Claim claim) {
        return step("acquire", claim.describe(), table -> table.acquire(this, claim, now()));
    }

    @Override
    public List<AcquireOutcome> poll(List<Claim> claims) {
        return step(
                "poll",
                "waiting claims",
                table -> claims.stream()
                        .map(claim -> table.acquire(this, claim, now()))
                        .toList());
    }

    @Override
    public void withdraw(Claim claim, boolean mayStillArrive) {
        step("withdraw", claim.describe(), table -> {
            table.withdraw(claim, mayStillArrive, now());
            return true;
        });
    }

    @Override
    public List<RenewOutcome> renew(List<Grant> grants) {
        return step(
                "renew",
                "held leases",
                table -> grants.stream().map(grant -> table.renew(grant, now())).toList());
    }

    @Override
    public List<ReleaseOutcome> release(List<Grant> grants) {
        if (grants.size() == 1) {
            Grant grant = grants.get(0);
            ReleaseOutcome outcome = step("release", grant.name(), table -> table.release(grant, now()));
            return List.of(outcome);
        }
        return step(
                "release",
                "held leases",
                table -> grants.stream()
                        .map(grant -> table.release(grant, now()))
                        .toList());
    }

    @Override
    public Optional<LockView> inspect(String name) {
        return step("inspect", name, table -> table.inspect(name, now()));
    }

    @Override
    public List<LockView> list(String prefix, int limit) {
        return step("list", prefix, table -> table.list(prefix, limit, now()));
    }

    @Override
    public int evict(String name, OptionalLong epoch, String by, String reason) {
        return step("evict", name, table -> table.evict(name, epoch, by, reason, now()));
    }

    @Override
    public void ping() {
        step("ping", "memory", LockTable::size);
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            memory.leave();
        }
    }

    private <R> R step(String operation, String lockName, Function<LockTable<MemoryStore>, R> step) {
        if (closed) {
            throw new StoreUnavailableException(operation, lockName, new IllegalStateException("the store is closed"));
        }
        return memory.step(step);
    }

    private long now() {
        return context.clock().nanos();
    }
}
