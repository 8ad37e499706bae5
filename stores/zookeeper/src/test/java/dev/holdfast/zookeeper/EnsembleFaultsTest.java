package dev.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LossReason;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.proxy.FaultProxy;
import dev.holdfast.rig.zookeeper.ZooKeeperEnsemble;
import dev.holdfast.rig.zookeeper.ZooKeeperNode;
import dev.holdfast.rig.zookeeper.ZooKeeperSettings;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What servers can do to each other, and to those who hold locks meanwhile. */
final class EnsembleFaultsTest {
    @RegisterExtension
    static final Rig rig = new Rig();

    private static ZooKeeperEnsemble ensemble;

    @BeforeAll
    static void start() throws InterruptedException {
        ensemble = ZooKeeperEnsemble.start(rig, ZooKeeperSettings.defaults());
    }

    @AfterEach
    void everybodyIsBack() throws InterruptedException {
        for (ZooKeeperNode node : ensemble.nodes()) {
            if (!node.server().isRunning()) {
                node.start();
            }
        }
        ensemble.awaitServing();
    }

    @Test
    void memberThatIsCutFromItsLeaderDoesNotExtendALease() throws InterruptedException {
        ZooKeeperNode follower = ensemble.followers().get(0);
        try (Holdfast attached = connect(follower.address(), "3s");
                Holdfast rival = connect(ensemble.leader().address(), "20s")) {
            Lease lease = attached.lock("cut").acquire();
            CompletableFuture<LossReason> told = new CompletableFuture<>();
            lease.onLost(told::complete);
            AtomicBoolean heldAtRegrant = new AtomicBoolean();
            CompletableFuture<Void> regrant = rival.lock("cut").acquireAsync().thenAccept(next -> {
                heldAtRegrant.set(lease.isHeld());
                assertThat(next.token()).isGreaterThan(lease.token());
            });
            Tree.await()
                    .until(() -> rival.inspect("cut").orElseThrow().waiters().size() == 1);
            ensemble.cutOff(follower);

            Tree.await().until(regrant::isDone);
            assertThat(regrant).isCompleted();
            assertThat(follower.mode())
                    .as("it has not noticed yet, and still answers its clients")
                    .isEqualTo("follower");
            assertThat(heldAtRegrant).isFalse();
            assertThat(told.isDone()).isTrue();
            assertThat(told.join()).isIn(LossReason.EXPIRED, LossReason.SESSION_LOST);
            ensemble.rejoin(follower);
            follower.awaitServing();
            // Its client has to connect again first.
            Tree.await()
                    .ignoreException(StoreUnavailableException.class)
                    .until(() -> attached.lock("cut-again").tryAcquire().isPresent());
        }
    }

    @Test
    @Tag("full")
    void holderAtAServerThatStandsStillIsToldBeforeAnotherIsGrantedTheLock() throws InterruptedException {
        ZooKeeperNode follower = ensemble.followers().get(0);
        try (Holdfast attached = connect(follower.address(), "3s");
                Holdfast rival = connect(ensemble.leader().address(), "20s")) {
            Lease lease = attached.lock("still").acquire();
            AtomicBoolean heldAtRegrant = new AtomicBoolean();
            CompletableFuture<Lease> regrant = rival.lock("still")
                    .acquireAsync()
                    .thenApply(next -> {
                        heldAtRegrant.set(lease.isHeld());
                        return next;
                    });
            follower.server().pause();
            try {
                Tree.await().until(regrant::isDone);
                assertThat(heldAtRegrant).isFalse();
                assertThat(regrant.join().token()).isGreaterThan(lease.token());
                assertThatThrownBy(lease::ensureHeld).isInstanceOf(LeaseLostException.class);
            } finally {
                follower.server().resume();
            }
            follower.awaitServing();
            Tree.await()
                    .ignoreException(StoreUnavailableException.class)
                    .untilAsserted(() -> assertThat(attached.lock("still-again").tryAcquire())
                            .isPresent());
        }
    }

    @Test
    @Tag("full")
    void leaderIsKilledUnderLoadAndNobodyOverlaps() throws InterruptedException {
        AtomicInteger inside = new AtomicInteger();
        AtomicBoolean overlapped = new AtomicBoolean();
        AtomicBoolean stop = new AtomicBoolean();
        AtomicInteger rounds = new AtomicInteger();
        List<Long> tokens = Collections.synchronizedList(new ArrayList<>());
        List<Thread> workers = new ArrayList<>();
        try (Holdfast one = connect(ensemble.addresses(), "8s");
                Holdfast other = connect(ensemble.addresses(), "8s")) {
            for (Holdfast client : List.of(one, other, one, other)) {
                Thread worker = new Thread(() -> work(client, inside, overlapped, stop, rounds, tokens));
                worker.start();
                workers.add(worker);
            }
            Tree.await().until(() -> rounds.get() > 20);
            ZooKeeperNode leader = ensemble.leader();
            leader.kill();
            int before = rounds.get();
            Tree.await().until(() -> rounds.get() > before + 50);
            leader.start();
            int then = rounds.get();
            Tree.await().until(() -> rounds.get() > then + 20);
            stop.set(true);
            for (Thread worker : workers) {
                worker.join();
            }
        }
        assertThat(overlapped).isFalse();
        assertThat(tokens).doesNotHaveDuplicates().isSorted();
    }

    private static void work(
            Holdfast client,
            AtomicInteger inside,
            AtomicBoolean overlapped,
            AtomicBoolean stop,
            AtomicInteger rounds,
            List<Long> tokens) {
        while (!stop.get()) {
            try (Lease lease = client.lock("under-load").acquire()) {
                if (inside.incrementAndGet() != 1 && lease.isHeld()) {
                    overlapped.set(true);
                }
                tokens.add(lease.token());
                rounds.incrementAndGet();
                inside.decrementAndGet();
            } catch (StoreUnavailableException | LeaseLostException notNow) {
                continue;
            } catch (InterruptedException interrupted) {
                return;
            }
        }
    }

    @Test
    @Tag("full")
    void minorityMayBeKilledAndAMajorityMakesEverythingUnknown() throws InterruptedException {
        List<ZooKeeperNode> followers = ensemble.followers();
        try (Holdfast client = connect(ensemble.leader().address() + "," + ensemble.addresses(), "4s")) {
            Lease lease = client.lock("majority").acquire();
            followers.get(0).kill();
            // The client may have been attached to the server that was killed: then the first word is "cannot tell".
            Tree.await()
                    .ignoreException(StoreUnavailableException.class)
                    .untilAsserted(() -> assertThat(client.lock("minority").tryAcquire())
                            .hasValueSatisfying(
                                    other -> assertThat(other.release()).isTrue()));
            assertThat(lease.isHeld()).isTrue();
            followers.get(1).kill();

            assertThatThrownBy(() -> client.lock("minority").tryAcquire())
                    .isInstanceOf(StoreUnavailableException.class);
            Tree.await().until(() -> !lease.isHeld());
            followers.get(0).start();
            followers.get(1).start();
            Tree.await().untilAsserted(() -> {
                try (Lease again = client.lock("majority").acquire()) {
                    assertThat(again.token()).isGreaterThan(lease.token());
                }
            });
        }
    }

    /** What it asks of the old server is refused, because its session has moved. That does not end the session. */
    @Test
    void sessionThatMovesToAnotherServerAndBackIsNotOver() throws Exception {
        ZooKeeperNode here = ensemble.followers().get(0);
        FaultProxy elsewhere = FaultProxy.before(rig, ensemble.leader().port());
        try (CuratorFramework curator = Tree.curatorOf(here);
                Holdfast client =
                        Holdfast.builder().store(ZooKeeperLocks.on(curator)).build()) {
            Lease lease = client.lock("moved").acquire();
            ZooKeeper handle = curator.getZookeeperClient().getZooKeeper();
            CountDownLatch moved = new CountDownLatch(1);
            ZooKeeper intruder = new ZooKeeper(
                    "127.0.0.1:" + elsewhere.port(),
                    30_000,
                    event -> moved.countDown(),
                    handle.getSessionId(),
                    handle.getSessionPasswd());
            assertThat(moved.await(60, TimeUnit.SECONDS)).isTrue();
            // From now on it cannot take the session once more, nor end it.
            elsewhere.refuse();
            elsewhere.cut();
            intruder.close();

            Tree.await()
                    .ignoreException(StoreUnavailableException.class)
                    .until(() -> client.lock("moved-too").tryAcquire().isPresent());
            assertThat(lease.isHeld()).isTrue();
            assertThat(lease.release()).isTrue();
            assertThat(curator.getZookeeperClient().getZooKeeper()).isSameAs(handle);
        }
    }

    @Test
    @Tag("full")
    void lockIsHeldOnUnderANewLeader() throws InterruptedException {
        ZooKeeperNode leader = ensemble.leader();
        try (Holdfast client = connect(ensemble.addresses(), "30s")) {
            Lease lease = client.lock("new-leader").acquire();
            leader.kill();
            ZooKeeperNode next = ensemble.leader();
            assertThat(next).isNotSameAs(leader);
            try (Holdfast rival = connect(next.address(), "20s")) {
                assertThat(rival.lock("new-leader").tryAcquire()).isEmpty();
                assertThat(rival.lock("other").tryAcquire()).isPresent();
            }
            assertThat(lease.isHeld()).isTrue();
            // The client may have been attached to the server that was killed: then the first word is "cannot tell".
            Tree.await()
                    .ignoreException(StoreUnavailableException.class)
                    .until(() -> client.lock("mine-too").tryAcquire().isPresent());
            assertThat(lease.release()).isTrue();
        }
    }

    @Test
    @Tag("full")
    void leaderIsKilledWhileManyLeasesAreHeldAndWaitersQueue() throws InterruptedException {
        int many = 40;
        try (Holdfast client = connect(ensemble.addresses(), "30s");
                Holdfast rival = connect(ensemble.addresses(), "30s")) {
            List<Lease> held = new ArrayList<>();
            List<Lease> blocking = new ArrayList<>();
            List<CompletableFuture<Lease>> waits = new ArrayList<>();
            for (int i = 0; i < many; i++) {
                held.add(client.lock("kept-" + i).acquire());
                blocking.add(rival.lock("queue-" + i).acquire());
                waits.add(client.lock("queue-" + i).acquireAsync());
            }
            Tree.await()
                    .until(() -> rival.list("queue-", many).stream()
                            .allMatch(view -> view.waiters().size() == 1));
            ensemble.leader().kill();
            blocking.forEach(Lease::release);

            Tree.await().until(() -> waits.stream().allMatch(CompletableFuture::isDone));
            for (int i = 0; i < many; i++) {
                assertThat(waits.get(i).join().token())
                        .isGreaterThan(blocking.get(i).token());
                assertThat(held.get(i).isHeld()).isTrue();
            }
            Tree.await()
                    .ignoreException(StoreUnavailableException.class)
                    .until(() -> rival.list("kept-", many).size() == many);
            waits.forEach(lease -> assertThat(lease.join().release()).isTrue());
            held.forEach(lease -> assertThat(lease.release()).isTrue());
            Tree.await()
                    .ignoreException(StoreUnavailableException.class)
                    .until(() -> rival.list("kept-", 1).isEmpty()
                            && rival.list("queue-", 1).isEmpty());
        }
    }

    private static Holdfast connect(String addresses, String session) {
        return Holdfast.connect("zookeeper://" + addresses + "/faults#session=" + session);
    }
}
