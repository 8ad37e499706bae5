package dev.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastException;
import dev.holdfast.Lease;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.proxy.FaultProxy;
import dev.holdfast.rig.zookeeper.ZooKeeperNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Many faults at the same time, to clients that work on Curator clients of the user's: sessions that end, connections that
 * break, listeners that are slow, nodes that are deleted by hand, clients that close.
 */
final class SeveralFaultsTest {
    private static final int SESSION_MILLIS = 8_000;
    private static final int CLIENTS = 3;
    private static final int THREADS = 3;

    /** Each of the four kinds once with each client. */
    private static final int FAULTS = 12;

    private static final List<String> NAMES = List.of("one", "two", "three");

    @RegisterExtension
    static final Rig rig = new Rig();

    private static ZooKeeperNode node;

    private final AtomicInteger rounds = new AtomicInteger();
    private final ConcurrentHashMap<String, Lease> holders = new ConcurrentHashMap<>();
    private final List<String> overlaps = new ArrayList<>();
    private final ConcurrentHashMap<String, Long> tokens = new ConcurrentHashMap<>();
    private final AtomicBoolean stop = new AtomicBoolean();

    @BeforeAll
    static void start() throws InterruptedException {
        node = ZooKeeperNode.start(rig);
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void clientsGoOnWithoutOverlapAndLeaveNothing(Mode mode) throws Exception {
        FaultProxy network = FaultProxy.before(rig, node.port());
        ScheduledExecutorService delays = Executors.newSingleThreadScheduledExecutor();
        List<CuratorFramework> curators = new ArrayList<>();
        List<Holdfast> clients = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        try (Tree tree = Tree.of(node)) {
            for (int i = 0; i < CLIENTS; i++) {
                curators.add(curator(network, delays));
                clients.add(locks(curators.get(i), mode));
            }
            for (int i = 0; i < CLIENTS * THREADS; i++) {
                Holdfast client = clients.get(i % CLIENTS);
                Thread thread = new Thread(() -> work(client));
                thread.start();
                threads.add(thread);
            }
            for (int i = 0; i < FAULTS; i++) {
                int before = rounds.get();
                fault(i, network, curators, tree, mode);
                Tree.await().until(() -> rounds.get() > before + CLIENTS);
            }
            // One closes in the middle of its work and of a broken connection; its session goes on.
            network.cut();
            clients.get(0).close();
            int before = rounds.get();
            Tree.await().until(() -> rounds.get() > before + CLIENTS);
            stop.set(true);
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(overlaps).isEmpty();
            Tree.await().untilAsserted(() -> {
                for (String name : NAMES) {
                    assertThat(tree.children(base(mode) + "/locks/" + name)).isEmpty();
                }
            });
            for (Holdfast client : clients.subList(1, CLIENTS)) {
                for (String name : NAMES) {
                    assertThat(client.lock(name)
                                    .tryAcquire(Duration.ofSeconds(30))
                                    .orElseThrow()
                                    .release())
                            .isTrue();
                }
            }
        } finally {
            stop.set(true);
            clients.forEach(Holdfast::close);
            curators.forEach(CuratorFramework::close);
            delays.shutdownNow();
        }
    }

    private static void fault(int number, FaultProxy network, List<CuratorFramework> curators, Tree tree, Mode mode)
            throws Exception {
        CuratorFramework curator = curators.get(number % CLIENTS);
        switch (number % 4) {
            case 0 -> network.cut();
            case 1 -> {
                ZooKeeper handle = curator.getZookeeperClient().getZooKeeper();
                if (handle.getSessionId() != 0) {
                    node.expire(handle.getSessionId(), handle.getSessionPasswd());
                }
            }
            case 2 -> network.dropReplies(1, request -> request.contains("/locks/"));
            default -> {
                for (String path : tree.children(base(mode) + "/locks/" + NAMES.get(number % NAMES.size()))) {
                    delete(tree, path);
                }
            }
        }
    }

    private static void delete(Tree tree, String path) throws InterruptedException {
        try {
            tree.client().delete(path, -1);
        } catch (KeeperException goneAlready) {
            Thread.onSpinWait();
        }
    }

    private void work(Holdfast client) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        while (!stop.get()) {
            String name = NAMES.get(random.nextInt(NAMES.size()));
            boolean several = random.nextInt(4) == 0;
            try {
                DistributedLock lock = several ? client.all(NAMES.toArray(String[]::new)) : client.lock(name);
                lock.tryAcquire(Duration.ofMillis(random.nextInt(200))).ifPresent(lease -> {
                    use(lease);
                    CompletableFuture<Boolean> unused = random.nextBoolean() ? lease.releaseAsync() : released(lease);
                });
                rounds.incrementAndGet();
            } catch (HoldfastException notNow) {
                if (notNow instanceof dev.holdfast.ClientClosedException) {
                    return;
                }
            } catch (InterruptedException ended) {
                return;
            }
        }
    }

    private static CompletableFuture<Boolean> released(Lease lease) {
        return CompletableFuture.completedFuture(lease.release());
    }

    /** Nodes that are deleted by hand, and sessions that are ended by force, end a lease without a warning: tokens decide. */
    private void use(Lease lease) {
        for (String name : lease.names()) {
            long token = lease.token(name);
            tokens.merge(name, token, (earlier, now) -> {
                if (now < earlier && lease.isHeld() && isStillHolder(name)) {
                    synchronized (overlaps) {
                        overlaps.add(name + ": " + now + " was granted after " + earlier);
                    }
                }
                return Math.max(earlier, now);
            });
            holders.put(name, lease);
        }
    }

    private boolean isStillHolder(String name) {
        Lease other = holders.get(name);
        return other != null && other.isHeld();
    }

    private static String base(Mode mode) {
        return "/several-" + mode.word();
    }

    private static Holdfast locks(CuratorFramework curator, Mode mode) {
        return Holdfast.builder()
                .store(ZooKeeperLocks.on(curator).withBase(base(mode)).withMode(mode))
                .commandTimeout(Duration.ofMillis(700))
                .build();
    }

    private static CuratorFramework curator(FaultProxy network, ScheduledExecutorService delays) {
        CuratorFramework curator = CuratorFrameworkFactory.newClient(
                "127.0.0.1:" + network.port(), SESSION_MILLIS, SESSION_MILLIS, new RetryOneTime(100));
        curator.getConnectionStateListenable()
                .addListener((client, state) -> CompletableFuture.runAsync(
                                () -> {}, task -> delays.schedule(task, 200, TimeUnit.MILLISECONDS))
                        .join());
        curator.start();
        return curator;
    }
}
