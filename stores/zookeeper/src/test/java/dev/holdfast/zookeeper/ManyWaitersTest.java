package dev.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.proxy.FaultProxy;
import dev.holdfast.rig.zookeeper.ZooKeeperNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One client that waits for many names, so that one question at a time would not be asked in time. P12, P19. */
final class ManyWaitersTest {
    private static final int WAITERS = 200;
    private static final Duration ONE_WAY = Duration.ofMillis(10);
    private static final Duration COMMAND_TIMEOUT = Duration.ofMillis(500);
    private static final Duration RECOVERY = Duration.ofSeconds(5);
    private static final int SESSION_MILLIS = 60_000;

    @RegisterExtension
    static final Rig rig = new Rig();

    private static ZooKeeperNode node;

    @BeforeAll
    static void start() throws InterruptedException {
        node = ZooKeeperNode.start(rig);
    }

    @Test
    void allWaitAgainSoonAfterTheirSessionEnded() throws Exception {
        FaultProxy network = FaultProxy.before(rig, node.port());
        try (CuratorFramework curator = curator(network);
                Holdfast client = Holdfast.builder()
                        .store(ZooKeeperLocks.on(curator).withBase("/many-ended"))
                        .commandTimeout(COMMAND_TIMEOUT)
                        .build();
                Holdfast rival = Holdfast.connect("zookeeper://" + node.address() + "/many-ended#session=60s")) {
            List<Lease> held = hold(rival);
            List<CompletableFuture<Lease>> waits = new ArrayList<>();
            held.forEach(lease -> waits.add(client.lock(lease.name()).acquireAsync()));
            Tree.await().until(() -> areInLine(rival));
            network.delay(ONE_WAY);
            ZooKeeper handle = curator.getZookeeperClient().getZooKeeper();
            node.expire(handle.getSessionId(), handle.getSessionPasswd());
            Tree.await().until(() -> curator.getZookeeperClient().getZooKeeper() != handle);
            Tree.await().until(curator.getZookeeperClient()::isConnected);
            long begin = System.nanoTime();
            held.forEach(Lease::release);

            Tree.await().until(() -> waits.stream().allMatch(CompletableFuture::isDone));
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(RECOVERY);
            assertThat(waits).allMatch(wait -> wait.join().isHeld());
            network.heal();
        }
    }

    /** They ask for nothing but whether it is their turn, and nobody else uses their connection. */
    @ParameterizedTest
    @EnumSource(Mode.class)
    void waitersAreServedAlthoughTheirConnectionDiesInSilence(Mode mode) throws Exception {
        FaultProxy network = FaultProxy.before(rig, node.port());
        String where = base(mode) + "#session=12s&mode=" + mode.word();
        try (Holdfast client = Holdfast.builder()
                        .url("zookeeper://127.0.0.1:" + network.port() + where)
                        .commandTimeout(COMMAND_TIMEOUT)
                        .build();
                Holdfast rival = Holdfast.connect("zookeeper://" + node.address() + where)) {
            List<Lease> held = hold(rival);
            List<CompletableFuture<Lease>> waits = new ArrayList<>();
            held.forEach(lease -> waits.add(client.lock(lease.name()).acquireAsync()));
            Tree.await().until(() -> mode == Mode.SIMPLE || areInLine(rival));
            network.abandon();
            long begin = System.nanoTime();
            held.forEach(Lease::release);

            Tree.await().until(() -> waits.stream().allMatch(CompletableFuture::isDone));
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(RECOVERY);
            assertThat(waits).allMatch(wait -> wait.join().isHeld());
        }
    }

    private static boolean areInLine(Holdfast rival) {
        return rival.list("many-", WAITERS).stream()
                        .filter(view -> view.waiters().size() == 1)
                        .count()
                == WAITERS;
    }

    private static List<Lease> hold(Holdfast rival) {
        List<CompletableFuture<Lease>> asked = new ArrayList<>();
        for (int i = 0; i < WAITERS; i++) {
            asked.add(rival.lock("many-" + i).acquireAsync());
        }
        return asked.stream().map(CompletableFuture::join).toList();
    }

    private static String base(Mode mode) {
        return "/many-" + mode.word();
    }

    private static CuratorFramework curator(FaultProxy network) {
        CuratorFramework curator = CuratorFrameworkFactory.newClient(
                "127.0.0.1:" + network.port(), SESSION_MILLIS, SESSION_MILLIS, new RetryOneTime(100));
        curator.start();
        return curator;
    }
}
