package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastBuilder;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.LockView;
import dev.holdfast.LossReason;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.proxy.Direction;
import dev.holdfast.rig.proxy.FaultProxy;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.rig.redis.RedisSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A real server that is slow, silent, cut off, restarted or emptied. */
final class OutageTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final int KILLS = 3;
    private static final Predicate<String> SCRIPT = message -> message.contains("EVALSHA");

    @RegisterExtension
    final Rig rig = new Rig();

    private RedisNode redis;
    private FaultProxy network;
    private final List<Holdfast> clients = new ArrayList<>();

    @BeforeEach
    void start() throws InterruptedException {
        redis = RedisNode.start(rig);
        network = FaultProxy.before(rig, redis.port());
    }

    @AfterEach
    void close() {
        network.heal();
        clients.forEach(Holdfast::close);
    }

    @Test
    void grantWhoseReplyWasLostIsFoundByTheNextRequestAndCountsFromThen() throws InterruptedException {
        Holdfast locks = behindTheNetwork();
        locks.lock("warm").acquire().close();
        network.dropReplies(1, SCRIPT);
        Lease lease = locks.lock("lost", options()).acquire();

        assertThat(network.caught()).isEqualTo(1);
        assertThat(lease.isHeld()).isTrue();
        assertThat(lease.remaining()).isLessThanOrEqualTo(LEASE);
        assertThat(direct().lock("lost").tryAcquire()).isEmpty();
        assertThat(view("lost").holders()).hasSize(1);
        assertThat(lease.release()).isTrue();
    }

    @Test
    void tryWhoseReplyNeverComesIsUnknownAndLeavesNothing() throws InterruptedException {
        Holdfast locks = behindTheNetwork(Duration.ofMillis(300));
        locks.lock("warm").acquire().close();
        network.hold(Direction.TO_CLIENT, 1, message -> true);
        assertThatThrownBy(() -> locks.lock("silent").tryAcquire()).isInstanceOf(StoreUnavailableException.class);

        assertThat(direct().lock("silent").tryAcquire(PATIENCE)).isPresent();
    }

    @Test
    void requestThatArrivesAfterItsWithdrawalTakesNoEffect() throws InterruptedException {
        Holdfast locks = behindTheNetwork(Duration.ofMillis(300));
        locks.lock("warm").acquire().close();
        network.hold(Direction.TO_SERVER, 1, SCRIPT);
        assertThatThrownBy(() -> locks.lock("stalled").tryAcquire()).isInstanceOf(StoreUnavailableException.class);
        // The withdrawal goes over another connection, while the request is still on its way.
        await().atMost(PATIENCE)
                .until(() -> redis.ask("EXISTS", "holdfast:{stalled}:t").equals(1L));
        network.heal();

        Lease next = direct().lock("stalled").tryAcquire(PATIENCE).orElseThrow();
        assertThat(next.isHeld()).isTrue();
        assertThat(view("stalled").holders()).hasSize(1);
    }

    @Test
    void releaseWhoseReplyWasLostIsNoLoss() throws InterruptedException {
        Holdfast locks = behindTheNetwork();
        Lease lease = locks.lock("given back", options()).acquire();
        network.dropReplies(1, SCRIPT);

        assertThat(lease.release()).isTrue();
        assertThat(direct().lock("given back").tryAcquire(PATIENCE)).isPresent();
    }

    @Test
    void connectionsThatWereClosedWhileIdleAreReplacedUnnoticed() throws InterruptedException {
        Holdfast locks = behindTheNetwork();
        Lease lease = locks.lock("idle", options()).acquire();
        network.cut();
        assertThat(lease.release()).isTrue();
        network.reset();
        assertThat(locks.lock("idle", options()).tryAcquire()).isPresent();
        redis.ask("CLIENT", "KILL", "TYPE", "normal");
        assertThat(locks.lock("other", options()).tryAcquire()).isPresent();
    }

    @Test
    void whoeverOnlyLooksDoesNotNoticeEitherThatConnectionsWereClosedWhileIdle() throws InterruptedException {
        Holdfast locks = behindTheNetwork();
        Lease lease = locks.lock("seen", options()).acquire();
        network.cut();
        assertThat(locks.list("", 10)).hasSize(1);
        network.cut();
        assertThat(locks.inspect("seen")).isPresent();
        network.cut();
        locks.ping();
        assertThat(lease.release()).isTrue();
    }

    @Test
    void blackHoledServerIsUnavailableWithinTheTimeoutAndUsedAgainAfterwards() throws InterruptedException {
        Duration timeout = Duration.ofMillis(400);
        Holdfast locks = behindTheNetwork(timeout);
        locks.lock("warm").acquire().close();
        network.blackHole(Direction.TO_SERVER, Direction.TO_CLIENT);
        long before = System.nanoTime();
        assertThatThrownBy(() -> locks.lock("hole").tryAcquire()).isInstanceOf(StoreUnavailableException.class);
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isBetween(timeout.dividedBy(2), PATIENCE);
        network.heal();

        assertThat(locks.lock("hole").tryAcquire(PATIENCE)).isPresent();
    }

    @Test
    void refusedConnectionIsUnavailability() throws InterruptedException {
        Holdfast locks = behindTheNetwork(Duration.ofMillis(500));
        Lease lease = locks.lock("refused", options()).acquire();
        network.refuse();
        network.cut();
        assertThatThrownBy(() -> locks.lock("other").tryAcquire()).isInstanceOf(StoreUnavailableException.class);
        network.heal();

        assertThat(locks.lock("other").tryAcquire(PATIENCE)).isPresent();
        assertThat(lease.isHeld()).as("renewed meanwhile").isTrue();
    }

    @Test
    void emptiedServerIsToldAsLossWithinARenewal() throws InterruptedException {
        Loss loss = new Loss(direct().lock("flushed", renewedLongBeforeItsEnd()).acquire());
        redis.ask("FLUSHALL");

        loss.comesBeforeTheDeadline();
        assertThat(direct().lock("flushed").tryAcquire().orElseThrow().token()).isGreaterThan(loss.lease.token());
    }

    @Test
    void restartWithoutPersistenceIsToldAsLossAndTokensStillGrow() throws InterruptedException {
        Holdfast locks = direct();
        Loss loss = new Loss(locks.lock("restarted", renewedLongBeforeItsEnd()).acquire());
        redis.kill();
        redis.start();

        loss.comesBeforeTheDeadline();
        assertThat(locks.lock("restarted").tryAcquire(PATIENCE).orElseThrow().token())
                .isGreaterThan(loss.lease.token());
    }

    @Test
    void lossIsToldByTheDeadlineWhileTheServerIsSilentAndTheLockIsHadAgainAfterwards() throws InterruptedException {
        Holdfast locks = behindTheNetwork(Duration.ofMillis(400));
        Loss loss = new Loss(locks.lock("silenced", options()).acquire());
        network.blackHole(Direction.TO_SERVER, Direction.TO_CLIENT);

        assertThat(Outcomes.of(loss.told)).isEqualTo(LossReason.EXPIRED);
        assertThat(Duration.ofNanos(Outcomes.of(loss.toldNanos) - loss.deadlineNanos))
                .as("how long after the deadline, on a machine that may be slow")
                .isLessThan(LEASE.dividedBy(2));
        assertThat(loss.lease.isHeld()).isFalse();
        network.heal();
        assertThat(locks.lock("silenced").tryAcquire(PATIENCE).orElseThrow().token())
                .isGreaterThan(loss.lease.token());
    }

    /** What was written in the last moments may be missing then, and so may what tells the last token. */
    @Test
    void killsOfAServerThatSavesEverySecondRepeatNoToken() throws InterruptedException {
        RedisNode everySecond =
                RedisNode.start(rig, RedisSettings.defaults().withLines("appendonly yes", "appendfsync everysec"));
        try (Traffic traffic = new Traffic(everySecond.url(), "busy", 3)) {
            for (int i = 0; i < KILLS; i++) {
                int before = traffic.count();
                await().atMost(PATIENCE).until(() -> traffic.count() > before + 100);
                everySecond.kill();
                everySecond.start();
            }
            int before = traffic.count();
            await().atMost(PATIENCE).until(() -> traffic.count() > before + 100);
            traffic.endAndCheck();
        }
    }

    /** The loss of a lease, and whether it was told by a renewal: without one it would be told at the deadline. */
    private static final class Loss {
        private final Lease lease;
        private final long deadlineNanos;
        private final CompletableFuture<LossReason> told = new CompletableFuture<>();
        private final CompletableFuture<Long> toldNanos = new CompletableFuture<>();

        /** To be made before what loses the lease: the deadline is the one that the lease has now. */
        Loss(Lease lease) {
            this.lease = lease;
            lease.onLost(reason -> {
                toldNanos.complete(System.nanoTime());
                told.complete(reason);
            });
            this.deadlineNanos = System.nanoTime() + lease.remaining().toNanos();
        }

        void comesBeforeTheDeadline() throws InterruptedException {
            assertThat(Outcomes.of(told)).isEqualTo(LossReason.EXPIRED);
            assertThat(Duration.ofNanos(deadlineNanos - Outcomes.of(toldNanos)))
                    .as("what was left of the lease when its loss was told")
                    .isPositive();
        }
    }

    @Test
    void restartWithPersistenceKeepsLocksAndWaiters() throws InterruptedException {
        RedisNode durable = RedisNode.start(rig, RedisSettings.defaults().withDurability());
        LockOptions calm = LockOptions.defaults().withLeaseTime(Duration.ofSeconds(20));
        Holdfast locks = client(Holdfast.builder().url(durable.url()));
        Holdfast others = client(Holdfast.builder().url(durable.url()));
        Lease lease = locks.lock("kept", calm).acquire();
        CompletableFuture<Lease> waiter = others.lock("kept", calm).acquireAsync();
        await().until(() -> locks.inspect("kept").orElseThrow().waiters().size() == 1);
        durable.kill();
        durable.start();

        await().atMost(PATIENCE).ignoreExceptions().untilAsserted(() -> {
            LockView view = locks.inspect("kept").orElseThrow();
            assertThat(view.holders()).hasSize(1);
            assertThat(view.waiters()).hasSize(1);
        });
        assertThat(lease.isHeld()).isTrue();
        assertThat(lease.release()).isTrue();
        assertThat(Outcomes.of(waiter).token()).isGreaterThan(lease.token());
    }

    @Test
    void subscriptionThatIsCutDoesNotStallAWaiter() throws InterruptedException {
        Lease held = direct().lock("cut", options()).acquire();
        Holdfast waiting = behindTheNetwork();
        CompletableFuture<Lease> waiter = waiting.lock("cut", options()).acquireAsync();
        await().until(() -> view("cut").waiters().size() == 1);
        network.refuse();
        network.cut();
        held.close();
        assertThat(waiter).isNotDone();
        network.heal();

        assertThat(Outcomes.of(waiter).token()).isGreaterThan(held.token());
    }

    /**
     * A connection that is closed is made anew, and then the waiter asks at once. So this one is not closed: the message
     * that tells the grant is held back, with everything behind it, until after the waiter has asked by itself. The dead
     * connection would be found out and replaced as well, only later; it must not have been by then.
     */
    @Test
    @Tag("full")
    void waiterWhoseMessagesAreHeldBackAsksByItself() throws InterruptedException {
        LockOptions calm = LockOptions.defaults().withLeaseTime(PATIENCE);
        Lease held = direct().lock("held back", calm).acquire();
        CompletableFuture<Lease> waiter =
                behindTheNetwork().lock("held back", calm).acquireAsync();
        await().until(() -> view("held back").waiters().size() == 1);
        // An answered heartbeat: it will take two more until the connection counts as dead.
        await().atMost(PATIENCE).until(() -> Subscriptions.areAllAnsweringHeartbeats(redis));
        Set<String> before = Subscriptions.of(redis);
        network.hold(Direction.TO_CLIENT, 1, Subscriptions::isMessage);
        held.close();

        assertThat(Outcomes.of(waiter).isHeld()).isTrue();
        assertThat(network.caught()).as("the message that was held back").isEqualTo(1);
        assertThat(Subscriptions.of(redis)).as("nobody has subscribed anew").isEqualTo(before);
    }

    @Test
    void subscriptionThatIsDeadWithoutBeingClosedIsReplaced() throws InterruptedException {
        Holdfast waiting = behindTheNetwork();
        waiting.lock("warm").acquire().close();
        long before = network.accepted();
        // Everything that comes back on the subscription is held: messages, and the answers to its heartbeat.
        network.hold(Direction.TO_CLIENT, 1, message -> message.contains("pong"));
        await().atMost(PATIENCE).until(() -> network.accepted() > before);

        Lease held = direct().lock("dead", options()).acquire();
        CompletableFuture<Lease> waiter = waiting.lock("dead", options()).acquireAsync();
        await().until(() -> view("dead").waiters().size() == 1);
        held.close();
        assertThat(Outcomes.of(waiter).isHeld()).isTrue();
    }

    @Test
    void pushThatIsDelayedBeyondItsProvisionalLeaseIsNotHeld() throws InterruptedException {
        LockOptions brief = LockOptions.defaults().withLeaseTime(Duration.ofMillis(400));
        Lease held = direct().lock("late", options()).acquire();
        Holdfast waiting = behindTheNetwork();
        CompletableFuture<Lease> waiter = waiting.lock("late", brief).acquireAsync();
        await().until(() -> view("late").waiters().size() == 1);
        network.blackHole(Direction.TO_CLIENT);
        held.close();
        Lease between = direct().lock("late", options()).tryAcquire(PATIENCE).orElseThrow();
        network.heal();

        assertThat(between.isHeld()).isTrue();
        assertThat(view("late").holders()).hasSize(1);
        between.close();
        assertThat(Outcomes.of(waiter).token()).isGreaterThan(between.token());
    }

    @Test
    void pausedServerIsWaitedOutByAWaiter() throws InterruptedException {
        Holdfast locks = client(Holdfast.builder().url(redis.url()).commandTimeout(Duration.ofMillis(300)));
        locks.lock("warm").acquire().close();
        redis.pause();
        CompletableFuture<Lease> waiter = locks.lock("paused").acquireAsync();
        assertThatThrownBy(() -> locks.lock("another").tryAcquire()).isInstanceOf(StoreUnavailableException.class);
        assertThat(waiter).isNotDone();
        redis.resume();

        assertThat(Outcomes.of(waiter).isHeld()).isTrue();
    }

    @Test
    void lazyClientIsUsableOnceTheServerIsThere() throws InterruptedException {
        redis.stop();
        Holdfast locks = client(Holdfast.builder().url(redis.url()).lazy(true).commandTimeout(Duration.ofMillis(500)));
        assertThatThrownBy(() -> locks.lock("lazy").tryAcquire()).isInstanceOf(StoreUnavailableException.class);
        redis.start();

        assertThat(locks.lock("lazy").tryAcquire(PATIENCE)).isPresent();
    }

    /** Renewals come after a third of it, so two thirds are left for a slow machine until the deadline comes first. */
    private static LockOptions renewedLongBeforeItsEnd() {
        return LockOptions.defaults().withLeaseTime(LEASE.multipliedBy(2));
    }

    private static LockOptions options() {
        return LockOptions.defaults().withLeaseTime(LEASE);
    }

    private LockView view(String name) {
        Optional<LockView> view = direct().inspect(name);
        return view.orElseThrow();
    }

    /** A client without a network in between, made once. */
    private Holdfast direct() {
        if (clients.isEmpty()) {
            clients.add(Holdfast.connect(redis.url()));
        }
        return clients.get(0);
    }

    private Holdfast behindTheNetwork() {
        return behindTheNetwork(Duration.ofSeconds(2));
    }

    private Holdfast behindTheNetwork(Duration timeout) {
        direct();
        return client(
                Holdfast.builder().url("redis://127.0.0.1:" + network.port()).commandTimeout(timeout));
    }

    private Holdfast client(HoldfastBuilder builder) {
        Holdfast client = builder.build();
        clients.add(client);
        return client;
    }
}
