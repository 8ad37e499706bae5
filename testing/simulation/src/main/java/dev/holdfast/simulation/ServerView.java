package dev.holdfast.simulation;

import dev.holdfast.LockOptions;
import dev.holdfast.LockView;
import dev.holdfast.StoreTraits;
import dev.holdfast.StoreTraits.Promise;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.RenewOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One request of a client, at the moment of its arrival at the server: every step is made at the table and entered in the
 * ledger. What the answer says about grants is kept as {@link #facts()}, which the client knows once it hears the answer.
 */
final class ServerView implements LockStore {
    static final StoreTraits TRAITS = new StoreTraits(
            StoreTraits.Expiry.LEASE,
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
                    Promise.SURVIVES_RESTART),
            LockOptions.SHORTEST_LEASE,
            Duration.ofDays(1),
            "simulated");

    /** Of stores that tell nobody when to ask again. */
    private static final Duration POLL_HINT = Duration.ofMillis(50);

    private final World world;
    private final Server server;
    private final Process client;
    private final long sentAt;
    private @Nullable List<Fact> facts;

    /** What an answer says of one grant. */
    record Fact(String name, long epoch, boolean wanted) {}

    ServerView(World world, Server server, Process client, long sentAt) {
        this.world = world;
        this.server = server;
        this.client = client;
        this.sentAt = sentAt;
    }

    List<Fact> facts() {
        return facts == null ? List.of() : facts;
    }

    @Override
    public StoreTraits traits() {
        return TRAITS;
    }

    @Override
    public AcquireOutcome tryAcquire(Claim asked) {
        long now = server.nanos();
        Profile.StoreKind kind = client.profile().storeKind;
        Claim claim = kind == Profile.StoreKind.WITHOUT_LINES ? withoutPlace(asked) : asked;
        AcquireOutcome outcome = as(kind, server.table().acquire(client, claim, now));
        server.ledger().acquired(client, claim, outcome, now);
        if (world.logs()) {
            world.log("server: " + client + " acquires " + Words.of(claim) + " -> " + Words.of(outcome));
        }
        if (outcome instanceof AcquireOutcome.Granted granted) {
            for (Grant grant : granted.grants()) {
                learn(grant.name(), grant.epoch(), grant.wanted());
            }
        }
        return outcome;
    }

    private static Claim withoutPlace(Claim claim) {
        return new Claim(claim.parts(), claim.owner(), claim.lease(), claim.holder(), false);
    }

    /** The table's answer, as such a store gives it. */
    private static AcquireOutcome as(Profile.StoreKind kind, AcquireOutcome outcome) {
        if (outcome instanceof AcquireOutcome.Contended && kind != Profile.StoreKind.PUSHING) {
            return new AcquireOutcome.Contended(POLL_HINT);
        }
        if (outcome instanceof AcquireOutcome.Granted granted && kind == Profile.StoreKind.WITHOUT_LINES) {
            return new AcquireOutcome.Granted(
                    granted.grants().stream().map(ServerView::perhapsWanted).toList());
        }
        return outcome;
    }

    private static Grant perhapsWanted(Grant grant) {
        return new Grant(
                grant.name(), grant.owner(), grant.epoch(), grant.lease(), grant.validFor(), grant.session(), true);
    }

    @Override
    public List<AcquireOutcome> poll(List<Claim> claims) {
        List<AcquireOutcome> outcomes = new ArrayList<>(claims.size());
        for (Claim claim : claims) {
            outcomes.add(tryAcquire(claim));
        }
        return outcomes;
    }

    @Override
    public void withdraw(Claim claim, boolean mayStillArrive) {
        if (world.logs()) {
            world.log("server: " + client + " withdraws " + Words.of(claim) + (mayStillArrive ? " for good" : ""));
        }
        for (Claim.Part part : claim.parts()) {
            server.refresh(part.name());
        }
        server.ledger().withdraw(client, claim, mayStillArrive, sentAt, server.nanos());
        server.table().withdraw(claim, mayStillArrive, server.nanos());
    }

    @Override
    public List<RenewOutcome> renew(List<Grant> grants) {
        List<RenewOutcome> outcomes = new ArrayList<>(grants.size());
        long now = server.nanos();
        for (Grant grant : grants) {
            server.ledger().renewalSent(client, grant, sentAt);
            boolean held = server.ledger().holds(grant, now);
            RenewOutcome outcome = server.table().renew(grant, now);
            server.ledger().renewed(client, grant, held, outcome, now);
            if (world.logs()) {
                world.log("server: " + client + " renews " + Words.of(grant) + " -> " + Words.of(outcome));
            }
            if (outcome instanceof RenewOutcome.Renewed renewed) {
                learn(grant.name(), grant.epoch(), renewed.wanted());
            }
            outcomes.add(outcome);
        }
        return outcomes;
    }

    @Override
    public List<ReleaseOutcome> release(List<Grant> grants) {
        List<ReleaseOutcome> outcomes = new ArrayList<>(grants.size());
        long now = server.nanos();
        for (Grant grant : grants) {
            boolean held = server.ledger().release(client, grant, sentAt, now);
            ReleaseOutcome outcome = server.table().release(grant, now);
            if (world.logs()) {
                world.log("server: " + client + " releases " + Words.of(grant) + " -> "
                        + (outcome instanceof ReleaseOutcome.Released ? "released" : "not held"));
            }
            if (held != outcome instanceof ReleaseOutcome.Released) {
                world.fail("P2", "release of " + Words.of(grant) + " was answered as if held=" + !held);
            }
            outcomes.add(outcome);
        }
        return outcomes;
    }

    @Override
    public Optional<LockView> inspect(String name) {
        return server.table().inspect(name, server.nanos());
    }

    @Override
    public List<LockView> list(String prefix, int limit) {
        return server.table().list(prefix, limit, server.nanos());
    }

    @Override
    public int evict(String name, OptionalLong epoch, String by, String reason) {
        server.refresh(name);
        server.ledger().evict(name, epoch, server.nanos());
        return server.table().evict(name, epoch, by, reason, server.nanos());
    }

    @Override
    public void ping() {}

    @Override
    public void close() {}

    private void learn(String name, long epoch, boolean wanted) {
        if (facts == null) {
            facts = new ArrayList<>(1);
        }
        facts.add(new Fact(name, epoch, wanted));
    }
}
