package dev.holdfast.redis.redlock;

import dev.holdfast.LockKind;
import dev.holdfast.LockOptions;
import dev.holdfast.LockView;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.StoreTraits;
import dev.holdfast.StoreTraits.Promise;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.redis.wire.Access;
import dev.holdfast.redis.wire.Address;
import dev.holdfast.redis.wire.Call;
import dev.holdfast.redis.wire.Clocks;
import dev.holdfast.redis.wire.Command;
import dev.holdfast.redis.wire.ConnectionSettings;
import dev.holdfast.redis.wire.Faults;
import dev.holdfast.redis.wire.OverdueWatch;
import dev.holdfast.redis.wire.PooledServer;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.RenewOutcome;
import dev.holdfast.spi.StoreContext;
import dev.holdfast.spi.StoreUri;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Locks on a quorum of independent Redis nodes, with tokens that are safe to compare. The protocol is modelled in
 * {@code docs/models/FencedRedlock.tla}. Thread-safe.
 */
public final class RedlockStore implements LockStore {
    private final Nodes nodes;
    private final Recovery recovery;
    private final Waiting waiting;
    private final RedlockClaims claims;
    private final RedlockGrants grants;
    private final RedlockListing listing;
    private final StoreTraits traits;
    private final Runnable afterClose;
    private volatile boolean closed;

    private RedlockStore(Nodes nodes, RedlockSettings settings, RedlockRules rules, Runnable afterClose) {
        RedlockCalls calls = new RedlockCalls(settings.common().prefix(), rules.fencing());
        this.nodes = nodes;
        this.recovery = new Recovery(nodes, calls, settings, rules.copying());
        this.waiting = new Waiting(nodes, calls);
        ReachedNodes reached = new ReachedNodes();
        this.claims = new RedlockClaims(nodes, calls, rules.hints(), recovery, waiting, reached);
        this.grants = new RedlockGrants(nodes, calls, claims::latestAttempt, reached);
        this.listing = new RedlockListing(nodes, calls);
        this.afterClose = afterClose;
        this.traits = new StoreTraits(
                StoreTraits.Expiry.LEASE,
                EnumSet.of(
                        Promise.READ_WRITE,
                        Promise.BETWEEN_PROCESSES,
                        Promise.LOSS_BEFORE_REGRANT,
                        Promise.PAUSED_HOLDER_IS_REPLACED),
                LockOptions.SHORTEST_LEASE,
                settings.maxLease(),
                "works while " + nodes.quorum() + " of " + nodes.count() + " nodes answer and remember; a node that"
                        + " comes back empty does not vote until the longest lease has passed; tokens grow as long as"
                        + " fewer than " + nodes.quorum() + " nodes are empty at a time, whatever the clocks say, and"
                        + " by the nodes' clocks beyond that; a writer can be kept waiting by readers who take turns");
    }

    /** Opens the store; it connects when it is used. */
    public static RedlockStore open(StoreUri uri, Access access, StoreContext context) {
        return open(uri, access, context, RedlockRules.sound());
    }

    /** The same by other rules, to show what becomes of them. */
    public static RedlockStore open(StoreUri uri, StoreContext context, RedlockRules rules) {
        return open(uri, Access.BY_URL, context, rules);
    }

    private static RedlockStore open(StoreUri uri, Access access, StoreContext context, RedlockRules rules) {
        Address address = Address.of(uri);
        return open(
                address.hosts().stream()
                        .map(host -> new NodeAccess(host, address, uri, access))
                        .toList(),
                RedlockSettings.of(uri, context),
                context,
                rules);
    }

    /** Opens a store on nodes that are each reached in another way. */
    public static RedlockStore open(List<NodeAccess> nodes, RedlockSettings settings, StoreContext context) {
        return open(nodes, settings, context, RedlockRules.sound());
    }

    private static RedlockStore open(
            List<NodeAccess> reached, RedlockSettings settings, StoreContext context, RedlockRules rules) {
        boolean tls = reached.stream().anyMatch(node -> node.address().tls());
        OverdueWatch watch = new OverdueWatch(
                context,
                ConnectionSettings.lookInterval(settings.forBackground().timeout()));
        Clocks clocks = new Clocks(context.clock());
        List<Node> nodes = new ArrayList<>();
        for (NodeAccess each : reached) {
            ConnectionSettings asking = each.settings(settings.forAsking(tls));
            ConnectionSettings background = each.settings(settings.forBackground());
            PooledServer patient = new PooledServer(each.host(), background, context.clock(), clocks, watch);
            nodes.add(new Node(
                    nodes.size(), new NodeDialler(each.host(), asking), patient, background.timeout(), context));
        }
        return new RedlockStore(new Nodes(nodes, context, settings, tls), settings, rules, watch::close);
    }

    /** {@return the part that asks for claims, for those who count rounds} */
    RedlockClaims claims() {
        return claims;
    }

    /** {@return the part that sees to empty nodes} */
    Recovery recovery() {
        return recovery;
    }

    @Override
    public StoreTraits traits() {
        return traits;
    }

    @Override
    public AcquireOutcome tryAcquire(Claim claim) {
        ensureOpen("acquire", claim.describe());
        checkKind(claim);
        return claims.acquire(claim);
    }

    @Override
    public List<AcquireOutcome> poll(List<Claim> polled) {
        ensureOpen("poll", "waiting claims");
        polled.forEach(RedlockStore::checkKind);
        return claims.poll(polled);
    }

    @Override
    public void withdraw(Claim claim, boolean mayStillArrive) {
        ensureOpen("withdraw", claim.describe());
        claims.withdraw(claim, mayStillArrive);
    }

    @Override
    public List<RenewOutcome> renew(List<Grant> held) {
        ensureOpen("renew", "held leases");
        return grants.renew(held);
    }

    @Override
    public List<ReleaseOutcome> release(List<Grant> held) {
        ensureOpen("release", held.get(0).name());
        return grants.release(held);
    }

    @Override
    public Optional<LockView> inspect(String name) {
        ensureOpen("inspect", name);
        return listing.inspect(name);
    }

    @Override
    public List<LockView> list(String prefix, int limit) {
        ensureOpen("list", prefix);
        return listing.list(prefix, limit);
    }

    @Override
    public int evict(String name, OptionalLong epoch, String by, String reason) {
        ensureOpen("evict", name);
        return listing.evict(name, epoch, by, reason);
    }

    /** A quorum must answer; nodes that are new or came back empty are let vote, if they may. */
    @Override
    public void ping() {
        ensureOpen("ping", "Redlock");
        long until = nodes.deadline();
        QuorumRound round = nodes.ask(
                node -> List.of(Call.of(Command.PING)),
                ping -> false,
                ping -> ping.answered() >= nodes.quorum(),
                until);
        if (count(round) < nodes.quorum()) {
            // Whoever says that nodes cannot be reached has given them more time than a round does.
            round = nodes.askPatiently(
                    node -> List.of(Call.of(Command.PING)), ping -> ping.answered() >= nodes.quorum(), until);
            if (count(round) < nodes.quorum()) {
                throw Faults.of("ping", "Redlock", failureOf(round));
            }
        }
        recovery.attend(until);
    }

    /** {@return how many nodes answer; what does not answer is left} */
    private int count(QuorumRound round) {
        round.leave(node -> {});
        int alive = 0;
        for (int node = 0; node < nodes.count(); node++) {
            RuntimeException failure = failure(round, node);
            alive += failure == null ? 1 : 0;
            if (failure != null) {
                checkSetUp(failure);
            }
        }
        return alive;
    }

    private RuntimeException failureOf(QuorumRound round) {
        RuntimeException why = new IllegalStateException("too few nodes answered");
        for (int node = 0; node < nodes.count(); node++) {
            RuntimeException failure = failure(round, node);
            why = failure == null ? why : failure;
        }
        return why;
    }

    private static @Nullable RuntimeException failure(QuorumRound round, int node) {
        return round.isAnswered(node) ? round.answers(node).get(0).failure() : round.failure(node);
    }

    private static void checkSetUp(RuntimeException failure) {
        if (Faults.of("ping", "Redlock", failure) instanceof StoreMisconfiguredException wrong) {
            throw wrong;
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            recovery.close();
            waiting.close();
            nodes.close();
            waiting.awaitEnd();
            afterClose.run();
        }
    }

    private static void checkKind(Claim claim) {
        Claim.Part part = claim.parts().get(0);
        if (claim.parts().size() > 1 || part.kind() == LockKind.SEMAPHORE) {
            throw new StoreMisconfiguredException("Redlock carries locks and read/write locks of one name, but '"
                    + claim.describe() + "' was asked for as something else; use another store for it");
        }
    }

    private void ensureOpen(String operation, String lockName) {
        if (closed) {
            throw new StoreUnavailableException(operation, lockName, new IllegalStateException("the store is closed"));
        }
    }
}
