package dev.holdfast.redis.redlock;

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
import dev.holdfast.redis.Direct;
import dev.holdfast.redis.Outcomes;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.proxy.Direction;
import dev.holdfast.rig.proxy.FaultProxy;
import dev.holdfast.spi.OwnerId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Five real nodes that are killed, paused, cut off and slow. */
final class RedlockFaultsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final String OPTIONS = "fresh=true&nodeTimeout=300ms";

    /** Well below the time that a node has to answer. */
    private static final Duration SLOW = Duration.ofMillis(40);

    private static final Predicate<String> SCRIPT = message -> message.contains("EVALSHA");

    @RegisterExtension
    final Rig rig = new Rig();

    private RedlockNodes nodes;
    private final List<Holdfast> clients = new ArrayList<>();

    @BeforeEach
    void start() throws InterruptedException {
        nodes = RedlockNodes.start(rig, 5);
    }

    @AfterEach
    void close() {
        nodes.heal();
        clients.forEach(Holdfast::close);
    }

    @Test
    void serviceGoesOnWithTwoOfFiveNodesKilled() throws InterruptedException {
        Holdfast locks = client();
        Lease held = locks.lock("held", options()).acquire();
        nodes.node(1).kill();
        nodes.node(3).kill();

        Lease next = locks.lock("next", options()).acquire();
        assertThat(client().lock("next", options()).tryAcquire()).isEmpty();
        assertThat(locks.inspect("held").orElseThrow().holders()).hasSize(1);
        assertThat(held.release()).isTrue();
        assertThat(next.release()).isTrue();
        assertThat(client().lock("held", options()).tryAcquire(PATIENCE)).isPresent();
    }

    @Test
    void leaseIsRenewedWithTwoOfFiveNodesKilled() throws InterruptedException {
        Holdfast locks = client();
        Lease held = locks.lock("held", options()).acquire();
        nodes.node(0).kill();
        nodes.node(4).kill();
        long until = System.nanoTime() + LEASE.toNanos();
        await().atMost(PATIENCE).until(() -> System.nanoTime() - until > 0);

        assertThat(held.isHeld()).isTrue();
        assertThat(client().lock("held", options()).tryAcquire()).isEmpty();
    }

    /** The one that is quick has refused, so there can be no grant; only the slow ones can tell that it is taken. */
    @Test
    void slowNodesAreWaitedForWhereTheyTellARefusalFromADoubt() throws InterruptedException {
        Lease held = client().lock("taken", options()).acquire();
        Holdfast locks = behindNetworks();
        nodes.node(0).kill();
        nodes.node(4).kill();
        nodes.network(2).delay(Direction.TO_CLIENT, SLOW);
        nodes.network(3).delay(Direction.TO_CLIENT, SLOW);
        for (int i = 0; i < 10; i++) {
            locks.lock("known-to-be-slow/" + i, options()).acquire().close();
        }

        assertThat(locks.lock("taken", options()).tryAcquire()).isEmpty();
        assertThat(held.release()).isTrue();
    }

    @Test
    void nothingIsGrantedWithThreeOfFiveNodesKilled() throws InterruptedException {
        Holdfast locks = client();
        Lease held = locks.lock("held", options()).acquire();
        CompletableFuture<LossReason> told = new CompletableFuture<>();
        held.onLost(told::complete);
        for (int node : new int[] {0, 2, 4}) {
            nodes.node(node).kill();
        }

        assertThatThrownBy(() -> locks.lock("other").tryAcquire())
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("3 of 5");
        assertThatThrownBy(() -> locks.lock("other").tryAcquire(Duration.ofMillis(200)))
                .isInstanceOf(StoreUnavailableException.class);
        assertThat(Outcomes.of(told)).isEqualTo(LossReason.EXPIRED);
    }

    @Test
    void pausedNodesDoNotHoldUpAnybodyForLong() throws InterruptedException {
        Holdfast locks = client();
        locks.lock("warm").acquire().close();
        nodes.node(0).pause();
        nodes.node(2).pause();
        for (int i = 0; i < 50; i++) {
            locks.lock("paused/" + i, options()).tryAcquire().orElseThrow().close();
        }
        nodes.node(4).pause();
        assertThatThrownBy(() -> locks.lock("none").tryAcquire()).isInstanceOf(StoreUnavailableException.class);
        for (int node : new int[] {0, 2, 4}) {
            nodes.node(node).resume();
        }
        assertThat(locks.lock("none", options()).tryAcquire(PATIENCE)).isPresent();
    }

    @Test
    void whatAPausedNodeGrantsWhenItWakesIsTakenBack() throws InterruptedException {
        Holdfast locks = client();
        locks.lock("warm").acquire().close();
        for (int node : new int[] {0, 1, 2}) {
            nodes.node(node).pause();
        }
        assertThatThrownBy(() -> locks.lock("late", options()).tryAcquire())
                .isInstanceOf(StoreUnavailableException.class);
        for (int node : new int[] {0, 1, 2}) {
            nodes.node(node).resume();
        }

        await().atMost(LEASE.dividedBy(2)).untilAsserted(() -> {
            for (int node = 0; node < nodes.count(); node++) {
                assertThat(length(node, "late"))
                        .as("node %s holds nothing", node)
                        .isLessThanOrEqualTo(18);
            }
        });
        assertThat(locks.lock("late", options()).tryAcquire(PATIENCE)).isPresent();
    }

    @Test
    void clientCutOffFromAMajorityGetsNothingWhileOthersGoOn() throws InterruptedException {
        Holdfast locks = client();
        Holdfast cutOff = behindNetworks();
        Lease lost = cutOff.lock("shared", options()).acquire();
        CompletableFuture<LossReason> told = new CompletableFuture<>();
        lost.onLost(told::complete);
        for (int node : new int[] {0, 1, 2}) {
            nodes.network(node).refuse();
            nodes.network(node).cut();
        }
        assertThatThrownBy(() -> cutOff.lock("other").tryAcquire()).isInstanceOf(StoreUnavailableException.class);

        Lease next = locks.lock("shared", options()).tryAcquire(PATIENCE).orElseThrow();
        assertThat(told).as("told before the next was granted").isCompleted();
        assertThat(next.token()).isGreaterThan(lost.token());
        nodes.heal();
        assertThat(cutOff.lock("other", options()).tryAcquire(PATIENCE)).isPresent();
    }

    @Test
    void grantWhoseRepliesWereLostIsFoundByTheNextRequest() throws InterruptedException {
        Holdfast locks = behindNetworks();
        locks.lock("warm").acquire().close();
        for (int node = 0; node < nodes.count(); node++) {
            nodes.network(node).dropReplies(1, SCRIPT);
        }
        Lease lease = locks.lock("lost", options()).acquire();

        assertThat(lease.isHeld()).isTrue();
        assertThat(client().lock("lost").tryAcquire()).isEmpty();
        assertThat(view("lost").holders()).hasSize(1);
        assertThat(lease.release()).isTrue();
    }

    @Test
    void tryWhoseRepliesNeverComeIsUnknownAndLeavesNothing() throws InterruptedException {
        Holdfast locks = behindNetworks();
        locks.lock("warm").acquire().close();
        for (int node = 0; node < nodes.count(); node++) {
            nodes.network(node).blackHole(Direction.TO_CLIENT);
        }
        assertThatThrownBy(() -> locks.lock("silent", options()).tryAcquire())
                .isInstanceOf(StoreUnavailableException.class);
        nodes.heal();

        assertThat(client().lock("silent").tryAcquire(PATIENCE)).isPresent();
    }

    @Test
    void requestThatArrivesAfterItsWithdrawalTakesNoEffect() throws InterruptedException {
        Holdfast locks = behindNetworks();
        locks.lock("warm").acquire().close();
        for (int node = 0; node < nodes.count(); node++) {
            nodes.network(node).hold(Direction.TO_SERVER, 1, SCRIPT);
        }
        assertThatThrownBy(() -> locks.lock("stalled", options()).tryAcquire())
                .isInstanceOf(StoreUnavailableException.class);
        // The withdrawal goes over other connections, while the requests are still on their way.
        await().atMost(PATIENCE).until(() -> {
            for (int node = 0; node < nodes.count(); node++) {
                if (!(nodes.node(node).ask("KEYS", "holdfast:rl:{stalled}:t:*") instanceof List<?> graves)
                        || graves.isEmpty()) {
                    return false;
                }
            }
            return true;
        });
        nodes.heal();

        Lease next = client().lock("stalled").tryAcquire(PATIENCE).orElseThrow();
        assertThat(view("stalled").holders()).hasSize(1);
        assertThat(next.release()).isTrue();
    }

    @Test
    void waitThatIsCancelledWhileItsGrantIsUnderWayLeavesNothing() throws InterruptedException {
        Holdfast locks = behindNetworks();
        locks.lock("warm").acquire().close();
        for (FaultProxy network : List.of(nodes.network(0), nodes.network(1), nodes.network(2))) {
            network.blackHole(Direction.TO_CLIENT);
        }
        CompletableFuture<Lease> waiter = locks.lock("cancelled", options()).acquireAsync();
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(5)).until(() -> length(4, "cancelled") > 18);
        assertThat(waiter.cancel(false)).isTrue();
        nodes.heal();

        assertThat(client().lock("cancelled").tryAcquire(PATIENCE)).isPresent();
    }

    @Test
    void releaseWhoseRepliesWereLostIsNoLossAndReachesEveryNode() throws InterruptedException {
        Holdfast locks = behindNetworks();
        Lease lease = locks.lock("given back", options()).acquire();
        for (int node = 0; node < nodes.count(); node++) {
            nodes.network(node).dropReplies(1, SCRIPT);
        }

        assertThat(lease.release()).isTrue();
        await().atMost(LEASE.dividedBy(2)).untilAsserted(() -> {
            for (int node = 0; node < nodes.count(); node++) {
                assertThat(length(node, "given back")).isLessThanOrEqualTo(18);
            }
        });
    }

    @Test
    void releaseReachesANodeThatDidNotAnswer() throws InterruptedException {
        LockOptions calm = LockOptions.defaults().withLeaseTime(Duration.ofSeconds(25));
        Holdfast locks = client();
        Lease lease = locks.lock("slept through", calm).acquire();
        nodes.node(3).pause();
        assertThat(lease.release()).isTrue();
        nodes.node(3).resume();

        await().atMost(Duration.ofSeconds(15)).until(() -> length(3, "slept through") <= 18);
    }

    @Test
    void subscriptionsThatAreCutDoNotStallAWaiter() throws InterruptedException {
        Lease held = client().lock("cut", options()).acquire();
        CompletableFuture<Lease> waiter =
                behindNetworks().lock("cut", options()).acquireAsync();
        await().atMost(PATIENCE)
                .until(() -> nodes.node(0).ask("ZCARD", "holdfast:rl:{cut}:w").equals(1L));
        for (int node = 0; node < nodes.count(); node++) {
            nodes.network(node).refuse();
            nodes.network(node).cut();
        }
        held.close();
        assertThat(waiter).isNotDone();
        nodes.heal();

        assertThat(Outcomes.of(waiter).token()).isGreaterThan(held.token());
    }

    @Test
    void nodeThatForgotItsScriptsIsSentThemAgain() throws InterruptedException {
        Holdfast locks = client();
        Lease lease = locks.lock("forgotten", options()).acquire();
        for (int node = 0; node < nodes.count(); node++) {
            nodes.node(node).ask("SCRIPT", "FLUSH");
        }
        assertThat(client().lock("forgotten").tryAcquire()).isEmpty();
        assertThat(lease.release()).isTrue();
    }

    @Test
    void connectionsThatWereClosedWhileIdleAreReplacedUnnoticed() throws InterruptedException {
        Holdfast locks = client();
        Lease lease = locks.lock("idle", options()).acquire();
        for (int node = 0; node < nodes.count(); node++) {
            nodes.node(node).ask("CLIENT", "KILL", "TYPE", "normal");
        }
        assertThat(lease.release()).isTrue();
        for (int node = 0; node < nodes.count(); node++) {
            nodes.node(node).ask("CLIENT", "KILL", "TYPE", "normal");
        }
        assertThat(locks.lock("idle", options()).tryAcquire()).isPresent();
    }

    @Test
    void tombstoneWhoseOwnerEndsLikeANameIsNotListed() throws InterruptedException {
        Holdfast locks = client();
        Lease lease = locks.lock("listed", options()).acquire();
        OwnerId owner = new OwnerId(0x254a_ff00_0000_0001L, '}');
        RedlockCalls calls = new RedlockCalls("holdfast", RedlockCalls.Fencing.SOUND);
        for (int node = 0; node < nodes.count(); node++) {
            Direct.ask(nodes.node(node), calls.undo("buried", owner, 1, true));
        }

        assertThat(locks.list("", 10)).extracting(LockView::name).containsExactly("listed");
        assertThat(lease.release()).isTrue();
    }

    private long length(int node, String name) {
        return nodes.node(node).ask("STRLEN", "holdfast:rl:{" + name + "}") instanceof Long length ? length : 0;
    }

    private LockView view(String name) {
        Optional<LockView> view = client().inspect(name);
        return view.orElseThrow();
    }

    private static LockOptions options() {
        return LockOptions.defaults().withLeaseTime(LEASE);
    }

    private Holdfast client() {
        return opened(Holdfast.builder().url(nodes.url(OPTIONS)));
    }

    private Holdfast behindNetworks() {
        client();
        return opened(Holdfast.builder().url(nodes.urlBehindNetworks(OPTIONS)));
    }

    private Holdfast opened(HoldfastBuilder builder) {
        Holdfast client = builder.build();
        clients.add(client);
        return client;
    }
}
