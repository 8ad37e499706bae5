package dev.holdfast.store.file;

import dev.holdfast.LockOptions;
import dev.holdfast.LockView;
import dev.holdfast.StoreTraits;
import dev.holdfast.StoreTraits.Promise;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.RenewOutcome;
import dev.holdfast.spi.StoreContext;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** One client's access to the locks of a directory. Thread-safe: its keeper does one thing after another. */
final class FileStore implements LockStore {
    private static final StoreTraits TRAITS = new StoreTraits(
            StoreTraits.Expiry.SESSION,
            Set.of(
                    Promise.FAIR,
                    Promise.PUSHES,
                    Promise.SEES_WAITERS,
                    Promise.READ_WRITE,
                    Promise.SEMAPHORE,
                    Promise.SEVERAL_NAMES,
                    Promise.ATOMIC_NAMES,
                    Promise.BETWEEN_PROCESSES,
                    Promise.LOSS_BEFORE_REGRANT,
                    Promise.DEATH_SEEN_AT_ONCE),
            LockOptions.SHORTEST_LEASE,
            Duration.ofDays(3650),
            "locks end with their process or with the machine; tokens go on upwards");

    /** How long a withdrawn claim is remembered, in case a request of it comes late. */
    private static final long TOMBSTONE_NANOS = Duration.ofSeconds(60).toNanos();

    private static final Duration AFTER_TOMBSTONE = Duration.ofSeconds(5);

    private final Keeper keeper;
    private final StoreContext context;

    /** Owners that were withdrawn and until when that is remembered; touched by the keeper's thread only. */
    private final Map<OwnerId, Long> tombstones = new LinkedHashMap<>();

    FileStore(Path path, StoreContext context) {
        this.context = context;
        this.keeper = new Keeper(path, context);
    }

    @Override
    public StoreTraits traits() {
        return TRAITS;
    }

    @Override
    public AcquireOutcome tryAcquire(Claim claim) {
        return keeper.call("acquire", claim.describe(), table -> acquire(table, claim));
    }

    @Override
    public List<AcquireOutcome> poll(List<Claim> claims) {
        return keeper.call("poll", "waiting claims", table -> {
            List<AcquireOutcome> outcomes = new ArrayList<>(claims.size());
            for (Claim claim : claims) {
                outcomes.add(acquire(table, claim));
            }
            return outcomes;
        });
    }

    @Override
    public void withdraw(Claim claim, boolean mayStillArrive) {
        keeper.call("withdraw", claim.describe(), table -> {
            if (mayStillArrive) {
                tombstones.remove(claim.owner());
                tombstones.put(claim.owner(), now() + TOMBSTONE_NANOS);
            }
            table.end(claim.owner());
            return true;
        });
    }

    @Override
    public List<RenewOutcome> renew(List<Grant> grants) {
        return keeper.call(
                "renew",
                "held leases",
                table -> grants.stream()
                        .map(grant -> table.table().renew(grant, table.now()))
                        .toList());
    }

    @Override
    public List<ReleaseOutcome> release(List<Grant> grants) {
        String what = grants.size() == 1 ? grants.get(0).name() : "held leases";
        return keeper.call("release", what, table -> {
            List<ReleaseOutcome> outcomes = new ArrayList<>(grants.size());
            for (Grant grant : grants) {
                outcomes.add(table.release(grant));
            }
            return outcomes;
        });
    }

    @Override
    public Optional<LockView> inspect(String name) {
        return keeper.call("inspect", name, table -> {
            table.bury(table.table().clientsOf(name));
            return table.table().inspect(name, table.now());
        });
    }

    @Override
    public List<LockView> list(String prefix, int limit) {
        return keeper.call("list", prefix, table -> {
            table.bury(table.table().clients());
            return table.table().list(prefix, limit, table.now());
        });
    }

    @Override
    public int evict(String name, OptionalLong epoch, String by, String reason) {
        return keeper.call("evict", name, table -> {
            table.bury(table.table().clientsOf(name));
            return table.evict(name, epoch, by, reason);
        });
    }

    @Override
    public void ping() {
        keeper.call("ping", "file store", SharedTable::now);
    }

    @Override
    public void close() {
        keeper.close();
    }

    private AcquireOutcome acquire(SharedTable table, Claim claim) throws IOException {
        dropOldTombstones();
        if (tombstones.containsKey(claim.owner())) {
            return new AcquireOutcome.Contended(AFTER_TOMBSTONE);
        }
        AcquireOutcome outcome = table.claim(claim);
        if (claim.queue() && outcome instanceof AcquireOutcome.Contended) {
            keeper.watchThoseAhead();
        }
        return outcome;
    }

    /** All live equally long, so the oldest come first. */
    private void dropOldTombstones() {
        Iterator<Long> oldest = tombstones.values().iterator();
        while (oldest.hasNext() && oldest.next() <= now()) {
            oldest.remove();
        }
    }

    private long now() {
        return context.clock().nanos();
    }
}
