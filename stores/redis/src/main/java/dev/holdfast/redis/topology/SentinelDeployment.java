package dev.holdfast.redis.topology;

import dev.holdfast.redis.wire.BrokenExchange;
import dev.holdfast.redis.wire.Call;
import dev.holdfast.redis.wire.ConnectionSettings;
import dev.holdfast.redis.wire.Deadline;
import dev.holdfast.redis.wire.Exchange;
import dev.holdfast.redis.wire.HostAndPort;
import dev.holdfast.redis.wire.PromotionGuard;
import dev.holdfast.redis.wire.Redirection;
import dev.holdfast.redis.wire.Server;
import dev.holdfast.redis.wire.ServerRefusal;
import dev.holdfast.spi.MonotonicClock;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * A master that sentinels watch. They are asked at the start, whenever the master does not answer as one, and at every
 * heartbeat, because a master that was cut off may go on answering those who are cut off with it. Thread-safe.
 */
public final class SentinelDeployment implements Deployment {
    /** A sentinel that knows of a promotion tells the others within seconds. */
    private static final long LONGEST_LAG_NANOS = 60_000_000_000L;

    /** Asking the sentinels may take this part of the time of a call. */
    private static final int SENTINELS_SHARE = 4;

    private static final System.Logger LOG = System.getLogger("dev.holdfast");

    private final Sentinels sentinels;
    private final ConnectionSettings settings;
    private final BiFunction<HostAndPort, PromotionGuard, Server> servers;
    private final MonotonicClock clock;
    private final ReentrantLock discovery = new ReentrantLock();
    private volatile @Nullable Master master;
    private volatile boolean suspected;

    /** The known master has said that it is none. */
    private volatile boolean demoted;

    /** No sentinel answers, and that was told; guarded by {@link #discovery}. */
    private boolean deserted;

    private volatile boolean closed;

    /** The newest generation that was told, and when; guarded by {@link #discovery}. */
    private long newest;

    private long newestToldNanos;

    private record Master(Promotion promotion, PromotionGuard guard, Route route) {
        Server server() {
            return route.server();
        }
    }

    public SentinelDeployment(
            Sentinels sentinels,
            ConnectionSettings settings,
            BiFunction<HostAndPort, PromotionGuard, Server> servers,
            MonotonicClock clock) {
        this.sentinels = sentinels;
        this.settings = settings;
        this.clock = clock;
        this.servers = servers;
    }

    @Override
    public boolean isCluster() {
        return false;
    }

    @Override
    public Call stamp(Call call) {
        return call.stamped(false);
    }

    @Override
    public Route routeTo(byte[] key, Deadline deadline) {
        Master known = master;
        if (known != null && !known.guard.isOver() && (!suspected || discovery.isLocked())) {
            return known.route;
        }
        return discover(deadline);
    }

    @Override
    public List<Server> masters(Deadline deadline) {
        return List.of(routeTo(new byte[0], deadline).server());
    }

    @Override
    public Server listeningPost(Deadline deadline) {
        return routeTo(new byte[0], deadline).server();
    }

    @Override
    public boolean isListeningPost(Server server) {
        Master known = master;
        return known != null && known.server() == server;
    }

    @Override
    public Server follow(Redirection redirection, Server asked, Deadline deadline) {
        throw redirection;
    }

    @Override
    public void suspect(Server server) {
        if (isListeningPost(server)) {
            suspected = true;
        }
    }

    @Override
    public void beat() {
        suspected = true;
        try {
            discover(Deadline.in(clock, settings.timeout()));
        } catch (BrokenExchange | ServerRefusal nobodyTells) {
            // The next call asks again, and reports it.
            suspected = true;
        }
    }

    @Override
    public String failover() {
        return "Sentinel: a failover loses what the new master had not received, so a lock may be granted while its"
                + " holder still counts on it, until the holder's next renewal; tokens of a later master are larger than"
                + " all of an earlier one, which has an hour to find out that it is none";
    }

    @Override
    public void close() {
        closed = true;
        sentinels.close();
        Master last = master;
        if (last != null) {
            last.server().close();
        }
    }

    private Route discover(Deadline deadline) {
        boolean interrupted = false;
        boolean locked = false;
        try {
            locked = discovery.tryLock(Math.max(0, deadline.leftNanos()), TimeUnit.NANOSECONDS);
        } catch (InterruptedException later) {
            interrupted = true;
        }
        if (!locked) {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            throw BrokenExchange.beforeSending(
                    "the sentinels are being asked already", new TimeoutException("no answer in time"));
        }
        try {
            Master known = master;
            if (known != null && !known.guard.isOver() && !suspected) {
                return known.route;
            }
            Promotion told = ask(known, deadline);
            if (told == null) {
                suspected = false;
                return Objects.requireNonNull(known).route;
            }
            boolean behind = isBehind(told);
            if (behind && known == null) {
                throw changing();
            }
            if (!behind && (known == null || known.guard.isOver() || !known.promotion.equals(told))) {
                switchTo(bind(told, deadline));
            }
            suspected = false;
            return Objects.requireNonNull(master).route;
        } finally {
            discovery.unlock();
        }
    }

    /**
     * Asks the sentinels; null if none of them answers and there is a master that is still the one they named. Without them
     * there is no other, and one that others made in the meantime has larger tokens.
     */
    private @Nullable Promotion ask(@Nullable Master known, Deadline deadline) {
        try {
            Promotion told = sentinels.ask(share(deadline));
            deserted = false;
            return told;
        } catch (BrokenExchange | ServerRefusal nobodyTells) {
            if (known == null || known.guard.isOver() || demoted) {
                throw nobodyTells;
            }
            if (!deserted) {
                deserted = true;
                LOG.log(
                        System.Logger.Level.WARNING,
                        "no sentinel answers; Holdfast goes on with the master at "
                                + known.server().where() + " as long as it answers as one",
                        nobodyTells);
            }
            return null;
        } finally {
            demoted = false;
        }
    }

    /** What is left is also for the master itself. */
    private static Deadline share(Deadline deadline) {
        return deadline.atMost(Duration.ofNanos(Math.max(1, deadline.leftNanos() / SENTINELS_SHARE)));
    }

    @Override
    public void demoted(Server server) {
        if (isListeningPost(server)) {
            demoted = true;
            suspected = true;
        }
    }

    /** Whether sentinels have not yet heard of a promotion that others told of. After a while they rather count anew. */
    private boolean isBehind(Promotion told) {
        long now = clock.nanos();
        if (told.generation() >= newest) {
            newest = told.generation();
            newestToldNanos = now;
        }
        return told.generation() < newest && now - newestToldNanos < LONGEST_LAG_NANOS;
    }

    private static BrokenExchange changing() {
        return BrokenExchange.beforeSending(
                "the sentinels are changing the master", new IllegalStateException("another promotion"));
    }

    /**
     * Ties the generation of a promotion to the server that was promoted. Its replication id is read between two questions
     * with the same answer, so it is the id of that promotion: the next one begins only when most sentinels know a newer.
     */
    private Master bind(Promotion told, Deadline deadline) {
        PromotionGuard guard = new PromotionGuard();
        Server server = servers.apply(told.master(), guard);
        try {
            Call question = PromotionGuard.question();
            server.carry(new Exchange(List.of(question), null, deadline));
            RuntimeException refused = question.failure();
            if (refused != null) {
                throw refused;
            }
            guard.expect(PromotionGuard.masterId(question.answer()));
            if (!sentinels.ask(share(deadline)).equals(told)) {
                throw changing();
            }
            return new Master(told, guard, new Route(server, newest));
        } catch (RuntimeException unusable) {
            server.close();
            throw unusable;
        }
    }

    private void switchTo(Master next) {
        Master known = master;
        master = next;
        if (known != null) {
            known.server().close();
        }
        if (closed) {
            next.server().close();
        }
    }
}
