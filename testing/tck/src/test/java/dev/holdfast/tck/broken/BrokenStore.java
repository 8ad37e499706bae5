package dev.holdfast.tck.broken;

import dev.holdfast.LockView;
import dev.holdfast.StoreTraits;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.RenewOutcome;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;

/** A store in memory with one thing wrong. Thread-safe. */
final class BrokenStore implements LockStore {
    private static final int EPOCHS_THAT_LOOK_THE_SAME = 8;

    /** The true grants, shared by all stores of the process as the store in memory is. */
    private static final Map<String, Grant> NEWEST = new ConcurrentHashMap<>();

    private static final Map<OwnerId, Grant> BY_OWNER = new ConcurrentHashMap<>();

    private final Defect defect;
    private final LockStore store;
    private final LockStore second;

    BrokenStore(Defect defect, LockStore store, LockStore second) {
        this.defect = defect;
        this.store = store;
        this.second = second;
    }

    @Override
    public StoreTraits traits() {
        return store.traits();
    }

    @Override
    public AcquireOutcome tryAcquire(Claim claim) {
        AcquireOutcome outcome = store.tryAcquire(claim);
        if (outcome instanceof AcquireOutcome.Contended && defect == Defect.GRANTS_TWO_HOLDERS) {
            return second.tryAcquire(claim);
        }
        return outcome instanceof AcquireOutcome.Granted granted
                ? new AcquireOutcome.Granted(
                        granted.grants().stream().map(this::disguise).toList())
                : outcome;
    }

    @Override
    public List<AcquireOutcome> poll(List<Claim> claims) {
        return claims.stream().map(this::tryAcquire).toList();
    }

    @Override
    public void withdraw(Claim claim, boolean mayStillArrive) {
        boolean remember = mayStillArrive && defect != Defect.FORGETS_TOMBSTONES;
        store.withdraw(claim, remember);
        second.withdraw(claim, remember);
    }

    @Override
    public List<RenewOutcome> renew(List<Grant> grants) {
        return store.renew(grants.stream().map(this::reveal).toList());
    }

    @Override
    public List<ReleaseOutcome> release(List<Grant> grants) {
        return store.release(grants.stream()
                .map(this::reveal)
                .map(grant -> defect == Defect.RELEASES_FOR_ANYBODY ? NEWEST.getOrDefault(grant.name(), grant) : grant)
                .toList());
    }

    @Override
    public Optional<LockView> inspect(String name) {
        return store.inspect(name);
    }

    @Override
    public List<LockView> list(String prefix, int limit) {
        return store.list(prefix, limit);
    }

    @Override
    public int evict(String name, OptionalLong epoch, String by, String reason) {
        return store.evict(name, epoch, by, reason);
    }

    @Override
    public void ping() {
        store.ping();
    }

    @Override
    public void close() {
        store.close();
        second.close();
    }

    private Grant disguise(Grant grant) {
        NEWEST.put(grant.name(), grant);
        BY_OWNER.put(grant.owner(), grant);
        Duration validFor = defect == Defect.PROMISES_A_WHOLE_LEASE ? grant.lease() : grant.validFor();
        long epoch = defect == Defect.REPEATS_EPOCHS
                ? grant.epoch() - grant.epoch() % EPOCHS_THAT_LOOK_THE_SAME
                : grant.epoch();
        return new Grant(grant.name(), grant.owner(), epoch, grant.lease(), validFor, grant.session(), grant.wanted());
    }

    private Grant reveal(Grant grant) {
        return switch (defect) {
            case IGNORES_EPOCHS, REPEATS_EPOCHS -> BY_OWNER.getOrDefault(grant.owner(), grant);
            default -> grant;
        };
    }
}
