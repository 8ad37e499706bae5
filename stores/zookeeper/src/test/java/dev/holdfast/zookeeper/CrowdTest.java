package dev.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.LockKind;
import dev.holdfast.LossReason;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.zookeeper.ZooKeeperNode;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.RenewOutcome;
import dev.holdfast.spi.StoreContext;
import dev.holdfast.spi.StoreListener;
import dev.holdfast.spi.StoreUri;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.KeeperException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Many who wait: whom a release wakes, counted by the server. */
final class CrowdTest {
    private static final int CLIENTS = 20;
    private static final int CROWD = 1_000;
    private static final int RELEASES = 150;
    private static final int MANY = 200;
    private static final int ROUNDS = 20;

    @RegisterExtension
    static final Rig rig = new Rig();

    private static ZooKeeperNode node;

    private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(4);
    private final List<LockStore> stores = new ArrayList<>();
    private final Random random = new Random();

    /** Pushed grants of all clients, in the order of their coming. */
    private final BlockingQueue<List<Grant>> pushed = new LinkedBlockingQueue<>();

    @BeforeAll
    static void start() throws InterruptedException {
        node = ZooKeeperNode.start(rig);
    }

    @AfterEach
    void close() {
        stores.forEach(LockStore::close);
        threads.shutdownNow();
    }

    @Test
    void releaseWakesOneOfAThousandWaiters() throws InterruptedException {
        for (int i = 0; i < CLIENTS; i++) {
            stores.add(open());
        }
        Claim first = claim("crowded", LockKind.EXCLUSIVE, 1, 1);
        Grant held = grant(stores.get(0).tryAcquire(first));
        for (int i = 0; i < CROWD; i++) {
            assertThat(stores.get(i % CLIENTS)
                            .tryAcquire(
                                    claim("crowded", LockKind.EXCLUSIVE, 1, 1).queued(true)))
                    .isInstanceOf(AcquireOutcome.Contended.class);
        }
        long before = watchesSetOff();
        LockStore holder = stores.get(0);
        for (int i = 0; i < RELEASES; i++) {
            assertThat(holder.release(List.of(held))).containsExactly(ReleaseOutcome.RELEASED);
            Grant next = push().get(0);
            assertThat(next.epoch()).isGreaterThan(held.epoch());
            held = next;
            holder = stores.get(i % CLIENTS);
        }

        assertThat(pushed).as("nobody else was told").isEmpty();
        assertThat(watchesSetOff() - before)
                .as("watches that %d releases have set off", RELEASES)
                .isEqualTo(RELEASES);
    }

    @Test
    void permitsOfASemaphoreAreServedInWhateverOrderTheirHoldersLeave() throws InterruptedException {
        stores.add(open());
        LockStore store = stores.get(0);
        for (int[] order : new int[][] {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}) {
            String name = "permits-" + order[0] + order[1] + order[2];
            List<Grant> holders = new ArrayList<>();
            List<Claim> waiters = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                holders.add(grant(store.tryAcquire(claim(name, LockKind.SEMAPHORE, 1, 3))));
            }
            for (int i = 0; i < 3; i++) {
                Claim waiter = claim(name, LockKind.SEMAPHORE, 1, 3).queued(true);
                store.tryAcquire(waiter);
                waiters.add(waiter);
            }
            for (int i = 0; i < 3; i++) {
                store.release(List.of(holders.get(order[i])));
                assertThat(push().get(0).owner())
                        .as(name)
                        .isEqualTo(waiters.get(i).owner());
                assertThat(pushed).isEmpty();
            }
            waiters.forEach(waiter -> store.withdraw(waiter, false));
        }
    }

    @Test
    void renewalOfManyHoldersAsksOnceAndStillTellsOfAWaiter() throws InterruptedException {
        stores.add(open());
        stores.add(open());
        LockStore store = stores.get(0);
        List<Grant> held = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            held.add(grant(store.tryAcquire(claim("held-" + i, LockKind.EXCLUSIVE, 1, 1))));
        }
        // Holders set their watches a few milliseconds after their grants.
        Awaitility.await().until(() -> node.metric("watch_count") >= MANY);
        long before = node.metric("packets_received");
        List<RenewOutcome> alone = store.renew(held);
        long asked = node.metric("packets_received") - before;
        assertThat(alone)
                .allSatisfy(outcome -> assertThat(outcome)
                        .isInstanceOfSatisfying(
                                RenewOutcome.Renewed.class,
                                renewed -> assertThat(renewed.wanted()).isFalse()));
        assertThat(asked).as("requests for %d renewals", MANY).isLessThan(MANY / 10);

        for (int round = 0; round < ROUNDS; round++) {
            Claim waiter = claim("held-" + round, LockKind.EXCLUSIVE, 1, 1).queued(true);
            assertThat(stores.get(1).tryAcquire(waiter)).isInstanceOf(AcquireOutcome.Contended.class);
            assertThat(store.renew(held).get(round))
                    .as("round %d", round)
                    .isInstanceOfSatisfying(
                            RenewOutcome.Renewed.class,
                            renewed -> assertThat(renewed.wanted()).isTrue());
        }
    }

    @Test
    void renewalOfManyHoldersAsksOnceInTheSimpleModeToo() throws InterruptedException, KeeperException {
        stores.add(open("/crowd-simple#mode=simple&session=40s"));
        LockStore store = stores.get(0);
        List<Grant> held = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            held.add(grant(store.tryAcquire(claim("held-" + i, LockKind.EXCLUSIVE, 1, 1))));
        }
        long before = node.metric("packets_received");
        assertThat(store.renew(held)).hasOnlyElementsOfType(RenewOutcome.Renewed.class);
        long asked = node.metric("packets_received") - before;
        assertThat(asked).as("requests for %d renewals", MANY).isLessThan(MANY / 10);

        try (Tree tree = Tree.of(node)) {
            tree.client().delete("/crowd-simple/locks/held-7/holder", -1);
        }
        List<RenewOutcome> after = store.renew(held);
        assertThat(after.remove(7)).isEqualTo(new RenewOutcome.Lost(LossReason.EVICTED));
        assertThat(after).hasOnlyElementsOfType(RenewOutcome.Renewed.class);
    }

    /** Everything within a few milliseconds, so that the waiter has only just come when its turn is there. */
    @Test
    void waiterWhoseNodeWasDeletedByHandIsNotGrantedBesideTheNextInLine() throws InterruptedException, KeeperException {
        for (int i = 0; i < 3; i++) {
            stores.add(open());
        }
        try (Tree tree = Tree.of(node)) {
            for (int round = 0; round < ROUNDS; round++) {
                String name = "beside-" + round;
                Grant held = grant(stores.get(0).tryAcquire(claim(name, LockKind.EXCLUSIVE, 1, 1)));
                Claim victim = claim(name, LockKind.EXCLUSIVE, 1, 1).queued(true);
                Claim next = claim(name, LockKind.EXCLUSIVE, 1, 1).queued(true);
                stores.get(1).tryAcquire(victim);
                for (String path : tree.children("/crowd/locks/" + name)) {
                    if (path.contains(victim.owner().toString())) {
                        tree.client().delete(path, -1);
                    }
                }
                stores.get(2).tryAcquire(next);
                stores.get(0).release(List.of(held));

                Grant granted = push().get(0);
                assertThat(granted.owner()).as("round %d", round).isEqualTo(next.owner());
                stores.forEach(CrowdTest::askIfOpen);
                assertThat(pushed).as("round %d", round).isEmpty();
                stores.get(2).release(List.of(granted));
            }
        }
    }

    @Test
    void nextInALongLineAsksOnceAtMost() throws InterruptedException {
        for (int i = 0; i < CLIENTS; i++) {
            stores.add(open());
        }
        Grant held = grant(stores.get(0).tryAcquire(claim("line", LockKind.EXCLUSIVE, 1, 1)));
        for (int i = 1; i < CLIENTS; i++) {
            stores.get(i).tryAcquire(claim("line", LockKind.EXCLUSIVE, 1, 1).queued(true));
        }
        long before = node.metric("packets_received");
        for (int i = 0; i < CLIENTS - 1; i++) {
            stores.get(i).release(List.of(held));
            held = push().get(0);
        }
        // One to give back, and one to see that its own node is still there; the rest is for pings of clients that have
        // nothing to do, which are many seconds apart.
        assertThat(node.metric("packets_received") - before).isLessThan(CLIENTS * 5L / 2);
    }

    @Test
    void whoGivesUpInTheMiddleOfALineLetsNobodyIn() throws InterruptedException {
        for (int i = 0; i < CLIENTS; i++) {
            stores.add(open());
        }
        Grant held = grant(stores.get(0).tryAcquire(claim("gaps", LockKind.EXCLUSIVE, 1, 1)));
        List<Claim> line = new ArrayList<>();
        for (int i = 1; i < CLIENTS; i++) {
            Claim waiter = claim("gaps", LockKind.EXCLUSIVE, 1, 1).queued(true);
            assertThat(stores.get(i).tryAcquire(waiter)).isInstanceOf(AcquireOutcome.Contended.class);
            line.add(waiter);
        }
        // Every second one gives up, by leaving or by the end of its session.
        for (int i = 2; i < CLIENTS; i += 2) {
            if (i % 4 == 0) {
                stores.get(i).withdraw(line.get(i - 1), false);
            } else {
                stores.get(i).close();
            }
        }
        LockStore holder = stores.get(0);
        for (int i = 1; i < CLIENTS; i += 2) {
            // Whoever is told by mistake is told before a later request of the same session is answered.
            stores.forEach(CrowdTest::askIfOpen);
            assertThat(pushed).as("grants while %d holds", i - 1).isEmpty();
            assertThat(holder.release(List.of(held))).containsExactly(ReleaseOutcome.RELEASED);
            held = push().get(0);
            assertThat(held.owner()).isEqualTo(line.get(i - 1).owner());
            holder = stores.get(i);
        }
    }

    private static void askIfOpen(LockStore store) {
        try {
            store.ping();
        } catch (StoreUnavailableException closed) {
            assertThat(closed).rootCause().hasMessageContaining("closed");
        }
    }

    private static long watchesSetOff() {
        return node.metric("sum_node_deleted_watch_count") + node.metric("sum_node_changed_watch_count");
    }

    private List<Grant> push() throws InterruptedException {
        List<Grant> next = pushed.poll(60, TimeUnit.SECONDS);
        assertThat(next).as("the next is told of its grant").isNotNull();
        return next;
    }

    private static Grant grant(AcquireOutcome outcome) {
        assertThat(outcome).isInstanceOf(AcquireOutcome.Granted.class);
        return ((AcquireOutcome.Granted) outcome).grants().get(0);
    }

    private Claim claim(String name, LockKind kind, int units, int capacity) {
        return new Claim(
                List.of(new Claim.Part(name, kind, units, capacity)),
                new OwnerId(random.nextLong(), random.nextLong()),
                Duration.ofSeconds(30),
                new Claim.HolderInfo("crowd", ""),
                false);
    }

    private LockStore open() {
        return open("/crowd#session=40s");
    }

    private LockStore open(String where) {
        long origin = System.nanoTime();
        return new ZooKeeperStoreProvider()
                .open(
                        StoreUri.parse("zookeeper://" + node.address() + where, Map.of(), null),
                        new StoreContext(
                                "crowd",
                                () -> System.nanoTime() - origin,
                                (delay, task) -> {
                                    var scheduled = threads.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
                                    return () -> scheduled.cancel(false);
                                },
                                threads,
                                Duration.ofSeconds(30),
                                random,
                                new Ear()));
    }

    private final class Ear implements StoreListener {
        @Override
        public void retry(String name, OwnerId owner) {}

        @Override
        public void granted(List<Grant> grants, long anchorNanos) {
            pushed.add(grants);
        }

        @Override
        public void wanted(String name, long epoch) {}

        @Override
        public void lost(String name, OwnerId owner, long epoch, LossReason reason) {}

        @Override
        public void sessionLost(String session) {}
    }
}
