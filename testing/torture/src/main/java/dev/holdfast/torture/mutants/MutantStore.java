package dev.holdfast.torture.mutants;

import dev.holdfast.LockView;
import dev.holdfast.StoreTraits;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.RenewOutcome;
import dev.holdfast.spi.StoreContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A real store with one bug in front of it. Thread-safe as far as the bug allows. */
final class MutantStore implements LockStore {
    private static final int SELDOM = 25;
    private static final long BACK = 50_000_000L;

    private final Mutant mutant;
    private final LockStore real;
    private final StoreContext context;
    private final Map<String, Long> lastEpochs = new ConcurrentHashMap<>();
    private volatile boolean broken;

    MutantStore(Mutant mutant, LockStore real, StoreContext context) {
        this.mutant = mutant;
        this.real = real;
        this.context = context;
    }

    @Override
    public StoreTraits traits() {
        return real.traits();
    }

    @Override
    public AcquireOutcome tryAcquire(Claim claim) {
        mayBeBroken();
        if (mutant == Mutant.TIMEOUT_RESTARTED && seldom()) {
            LockSupport.parkNanos(context.commandTimeout().multipliedBy(4).toNanos());
        }
        try {
            return changed(claim, real.tryAcquire(asked(claim)));
        } catch (StoreUnavailableException outage) {
            broken = true;
            throw outage;
        }
    }

    @Override
    public List<AcquireOutcome> poll(List<Claim> all) {
        mayBeBroken();
        List<AcquireOutcome> outcomes = real.poll(all.stream().map(this::asked).toList());
        List<AcquireOutcome> changed = new ArrayList<>();
        for (int i = 0; i < outcomes.size(); i++) {
            changed.add(changed(all.get(i), outcomes.get(i)));
        }
        return changed;
    }

    private Claim asked(Claim claim) {
        if (mutant == Mutant.CAPACITY_IGNORED && claim.parts().get(0).kind() == dev.holdfast.LockKind.SEMAPHORE) {
            List<Claim.Part> more = claim.parts().stream()
                    .map(part -> new Claim.Part(part.name(), part.kind(), part.units(), part.capacity() + 3))
                    .toList();
            return new Claim(more, claim.owner(), claim.lease(), claim.holder(), claim.queue());
        }
        return claim;
    }

    private AcquireOutcome changed(Claim claim, AcquireOutcome outcome) {
        if (outcome instanceof AcquireOutcome.Granted granted) {
            return new AcquireOutcome.Granted(
                    granted.grants().stream().map(this::changed).toList());
        }
        if (outcome instanceof AcquireOutcome.Contended) {
            return refused(claim, outcome);
        }
        return outcome;
    }

    private AcquireOutcome refused(Claim claim, AcquireOutcome contended) {
        switch (mutant) {
            case WAKE_UP_LOST -> {
                return new AcquireOutcome.Contended(Duration.ofMinutes(10));
            }
            case CONTENDED_AS_UNKNOWN -> {
                // A claim that waits asks again and hears better, so it is mostly the tries that show it.
                if (!claim.queue() || seldom()) {
                    throw new StoreUnavailableException("acquire", claim.describe(), null);
                }
            }
            case GRANT_ALTHOUGH_TAKEN -> {
                if (seldom()) {
                    return new AcquireOutcome.Granted(claim.parts().stream()
                            .map(part -> forged(claim, part.name()))
                            .toList());
                }
            }
            default -> {
                return contended;
            }
        }
        return contended;
    }

    private Grant forged(Claim claim, String name) {
        long newest = real.inspect(name)
                .flatMap(view ->
                        view.holders().stream().map(LockView.Holder::token).max(Long::compare))
                .map(Grant::epochOf)
                .orElse(lastEpochs.getOrDefault(name, 1L));
        return new Grant(name, claim.owner(), newest + 1, claim.lease(), claim.lease(), null, false);
    }

    private Grant changed(Grant grant) {
        Long before = lastEpochs.put(grant.name(), grant.epoch());
        return switch (mutant) {
            case TOKEN_REPEATED -> before == null ? grant : with(grant, before, grant.validFor());
            case TOKEN_BACKWARDS -> {
                long down = grant.epoch() - (seldom() ? BACK : 0);
                yield with(grant, Math.max(1, down), grant.validFor());
            }
            case EXPIRY_BY_THE_CLIENTS_CLOCK ->
                with(grant, grant.epoch(), grant.lease().multipliedBy(10));
            default -> grant;
        };
    }

    private static Grant with(Grant grant, long epoch, @Nullable Duration validFor) {
        return new Grant(grant.name(), grant.owner(), epoch, grant.lease(), validFor, grant.session(), grant.wanted());
    }

    /** What the store knows under its own epoch has to be asked for under that one, or nothing would ever be released. */
    private List<Grant> asTheStoreKnows(List<Grant> grants) {
        if (mutant != Mutant.TOKEN_REPEATED && mutant != Mutant.TOKEN_BACKWARDS) {
            return grants;
        }
        return grants.stream()
                .map(grant -> with(grant, lastEpochs.getOrDefault(grant.name(), grant.epoch()), grant.validFor()))
                .toList();
    }

    @Override
    public void withdraw(Claim claim, boolean mayStillArrive) {
        if (mutant != Mutant.WITHDRAW_DROPPED) {
            real.withdraw(asked(claim), mayStillArrive);
        }
    }

    @Override
    public List<RenewOutcome> renew(List<Grant> grants) {
        List<RenewOutcome> outcomes;
        try {
            outcomes = real.renew(asTheStoreKnows(grants));
        } catch (StoreUnavailableException outage) {
            if (mutant != Mutant.LOSS_NOT_TOLD) {
                throw outage;
            }
            outcomes = grants.stream()
                    .map(grant -> (RenewOutcome) new RenewOutcome.Unknown(outage))
                    .toList();
        }
        List<RenewOutcome> changed = new ArrayList<>();
        for (int i = 0; i < grants.size(); i++) {
            changed.add(changed(grants.get(i), outcomes.get(i)));
        }
        return changed;
    }

    private RenewOutcome changed(Grant grant, RenewOutcome outcome) {
        boolean renewed = outcome instanceof RenewOutcome.Renewed;
        return switch (mutant) {
            case LOSS_NOT_TOLD -> renewed ? outcome : new RenewOutcome.Renewed(grant.lease(), false);
            case EXPIRY_BY_THE_CLIENTS_CLOCK ->
                renewed ? new RenewOutcome.Renewed(grant.lease().multipliedBy(10), false) : outcome;
            default -> outcome;
        };
    }

    @Override
    public List<ReleaseOutcome> release(List<Grant> grants) {
        if (mutant == Mutant.RELEASE_DROPPED) {
            return grants.stream().map(grant -> ReleaseOutcome.RELEASED).toList();
        }
        List<ReleaseOutcome> outcomes = real.release(asTheStoreKnows(grants));
        if (mutant == Mutant.RELEASE_WITHOUT_OWNER_CHECK) {
            for (int i = 0; i < grants.size(); i++) {
                if (outcomes.get(i) instanceof ReleaseOutcome.NotHeld) {
                    real.evict(grants.get(i).name(), OptionalLong.empty(), "mutant", "release without a look");
                }
            }
        }
        return outcomes;
    }

    @Override
    public Optional<LockView> inspect(String name) {
        return real.inspect(name);
    }

    @Override
    public List<LockView> list(String prefix, int limit) {
        return real.list(prefix, limit);
    }

    @Override
    public int evict(String name, OptionalLong epoch, String by, String reason) {
        return real.evict(name, epoch, by, reason);
    }

    @Override
    public void ping() {
        real.ping();
    }

    @Override
    public void close() {
        real.close();
    }

    private boolean seldom() {
        return context.random().nextInt(SELDOM) == 0;
    }

    private void mayBeBroken() {
        if (broken && mutant == Mutant.NO_RECOVERY) {
            throw new StoreUnavailableException("acquire", "any", null);
        }
    }
}
