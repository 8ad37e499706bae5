package dev.holdfast.redis.lock;

import dev.holdfast.LockOptions;
import dev.holdfast.LockView;
import dev.holdfast.StoreTraits;
import dev.holdfast.StoreTraits.Promise;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.redis.topology.CallRouter;
import dev.holdfast.redis.topology.Deployment;
import dev.holdfast.redis.topology.MemberThreads;
import dev.holdfast.redis.topology.Subscriber;
import dev.holdfast.redis.wire.Answers;
import dev.holdfast.redis.wire.Call;
import dev.holdfast.redis.wire.ClientId;
import dev.holdfast.redis.wire.Clocks;
import dev.holdfast.redis.wire.Deadline;
import dev.holdfast.redis.wire.Faults;
import dev.holdfast.redis.wire.Keys;
import dev.holdfast.redis.wire.Records;
import dev.holdfast.redis.wire.Script;
import dev.holdfast.redis.wire.Settings;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.RenewOutcome;
import dev.holdfast.spi.StoreContext;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** Locks on Redis, as one client sees them. Thread-safe. */
public final class RedisStore implements LockStore {
    /** All keys outlive the longest lease by far, so that none of them needs a life of its own. */
    private static final Duration LONGEST_LEASE = Duration.ofHours(24);

    private final Keys keys;
    private final CallRouter router;
    private final Subscriber subscriber;
    private final Claims claims;
    private final Grants grants;
    private final Listing listing;
    private final StoreTraits traits;
    private final MemberThreads threads;
    private final Runnable afterClose;
    private volatile boolean closed;

    private RedisStore(
            StoreContext context,
            Settings settings,
            Deployment deployment,
            Clocks clocks,
            MemberThreads threads,
            Runnable afterClose) {
        String channel = new Keys(settings.prefix()).channel(ClientId.mint());
        this.threads = threads;
        this.afterClose = afterClose;
        this.keys = new Keys(settings.prefix());
        this.router = new CallRouter(deployment, threads, context.clock(), settings.timeout());
        Inbox inbox = new Inbox(context.listener(), keys, clocks, settings.replicas() == null);
        this.subscriber = new Subscriber(deployment, context, channel, inbox);
        this.claims = new Claims(context, settings, keys, new Records(channel), router, inbox);
        this.grants = new Grants(context.clock(), settings, keys, router);
        this.listing = new Listing(keys, router);
        this.traits = traits(deployment, settings);
    }

    /** Opens the store; it connects when it is used, and listens as soon as it can. */
    public static RedisStore open(
            StoreContext context,
            Settings settings,
            Deployment deployment,
            Clocks clocks,
            MemberThreads threads,
            Runnable afterClose) {
        RedisStore store = new RedisStore(context, settings, deployment, clocks, threads, afterClose);
        store.router.whenBroken(store.subscriber::lookAtOnce);
        store.subscriber.open();
        return store;
    }

    private static StoreTraits traits(Deployment deployment, Settings settings) {
        Set<Promise> promises = EnumSet.of(
                Promise.FAIR,
                Promise.PUSHES,
                Promise.SEES_WAITERS,
                Promise.READ_WRITE,
                Promise.SEMAPHORE,
                Promise.SEVERAL_NAMES,
                Promise.ATOMIC_NAMES,
                Promise.BETWEEN_PROCESSES,
                Promise.LOSS_BEFORE_REGRANT,
                Promise.PAUSED_HOLDER_IS_REPLACED);
        if (deployment.isCluster()) {
            promises.remove(Promise.ATOMIC_NAMES);
        }
        return new StoreTraits(
                StoreTraits.Expiry.LEASE,
                promises,
                LockOptions.SHORTEST_LEASE,
                LONGEST_LEASE,
                deployment.failover()
                        + (settings.replicas() == null
                                ? ""
                                : "; grants and renewals count once "
                                        + settings.replicas().count()
                                        + " replicas have acknowledged them, which makes their loss unlikely but not"
                                        + " impossible"));
    }

    @Override
    public StoreTraits traits() {
        return traits;
    }

    @Override
    public AcquireOutcome tryAcquire(Claim claim) {
        ensureOpen("acquire", claim.describe());
        // Whoever holds must hear that it is wanted or evicted, and a waiter that cannot be told would be passed over.
        Deadline deadline = router.newDeadline();
        subscriber.awaitFirst("acquire", claim, deadline);
        return claims.acquire(claim, deadline);
    }

    @Override
    public List<AcquireOutcome> poll(List<Claim> waiting) {
        ensureOpen("poll", "waiting claims");
        return claims.poll(waiting);
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
        Call call = Call.of(
                Script.EVICT,
                List.of(keys.head(name)),
                List.of(Keys.bytes(by), Keys.bytes(reason), Keys.bytesOf(epoch)));
        call = router.deployment().stamp(call).once();
        router.deliver(call, null);
        if (call.failure() != null) {
            throw Faults.of("evict", name, call.failure());
        }
        Answers.checkReadable(name, call.answer());
        return (int) Answers.number(call.answer());
    }

    @Override
    public void ping() {
        ensureOpen("ping", "Redis");
        Call call = Call.of(Script.PING, keys.head("ping " + ClientId.mint()));
        Deadline deadline = router.newDeadline();
        router.deliver(call, null, deadline);
        if (call.failure() != null) {
            throw Faults.of("ping", "Redis", call.failure());
        }
        subscriber.awaitFirst("ping", "Redis", deadline);
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            subscriber.close();
            router.deployment().close();
            subscriber.awaitEnd();
            threads.close();
            afterClose.run();
        }
    }

    private void ensureOpen(String operation, String lockName) {
        if (closed) {
            throw new StoreUnavailableException(operation, lockName, new IllegalStateException("the store is closed"));
        }
    }
}
