package dev.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.zookeeper.ZooKeeperNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.apache.zookeeper.KeeperException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Threads that are interrupted in the middle of requests that they wait for. */
final class InterruptsTest {
    private static final int LEASES = 200;
    private static final int MOST_TRIES = 1_000_000;
    private static final int IN_LINE = 4;

    @RegisterExtension
    static final Rig rig = new Rig();

    private static ZooKeeperNode node;

    private final ExecutorService threads = Executors.newCachedThreadPool();

    /** How many believe that they have the lock. */
    private final AtomicInteger holders = new AtomicInteger();

    private final AtomicBoolean done = new AtomicBoolean();

    @BeforeAll
    static void start() throws InterruptedException {
        node = ZooKeeperNode.start(rig);
    }

    @AfterEach
    void stop() {
        done.set(true);
        threads.shutdownNow();
    }

    @ParameterizedTest
    @ValueSource(strings = {"fair", "simple"})
    void threadThatIsInterruptedAllTheTimeGivesBackWhatItTakes(String mode)
            throws InterruptedException, ExecutionException, KeeperException {
        try (Holdfast client = connect(mode);
                Holdfast rivals = connect(mode);
                Tree tree = Tree.of(node)) {
            Future<Integer> rival = threads.submit(() -> takeTurns(rivals.lock("interrupted")));
            Target target = new Target();
            Future<Integer> victim = threads.submit(() -> takeInterrupted(client.lock("interrupted"), target));
            threads.submit(() -> interruptAllTheTime(List.of(target)));

            assertThat(victim.get()).as("interrupts that came during a release").isPositive();
            done.set(true);
            assertThat(rival.get()).as("leases of the other client").isPositive();
            awaitNothingLeft(tree, mode);
        }
    }

    @Test
    void threadsInALineThatAreInterruptedWhileTheyReleaseLetTheNextOneIn()
            throws InterruptedException, ExecutionException, KeeperException {
        List<Holdfast> clients = new ArrayList<>();
        try (Tree tree = Tree.of(node)) {
            List<Target> targets = new ArrayList<>();
            List<Future<Integer>> line = new ArrayList<>();
            for (int i = 0; i < IN_LINE; i++) {
                Holdfast client = connect("line");
                clients.add(client);
                Target target = new Target();
                targets.add(target);
                line.add(threads.submit(() -> takeInLine(client.lock("interrupted"), target)));
            }
            threads.submit(() -> interruptAllTheTime(targets));
            int interrupted = 0;
            for (Future<Integer> each : line) {
                interrupted += each.get();
            }

            assertThat(interrupted).as("interrupts that came during a release").isPositive();
            awaitNothingLeft(tree, "line");
        } finally {
            clients.forEach(Holdfast::close);
        }
    }

    /** A thread, while it may be interrupted. */
    private static final class Target {
        private volatile Thread thread;

        /** Runs something that may be interrupted. */
        <T> T expose(Supplier<T> action) {
            thread = Thread.currentThread();
            try {
                return action.get();
            } finally {
                thread = null;
            }
        }
    }

    private int interruptAllTheTime(List<Target> targets) {
        int interrupts = 0;
        while (!done.get()) {
            for (Target target : targets) {
                Thread exposed = target.thread;
                if (exposed != null && !exposed.isInterrupted()) {
                    exposed.interrupt();
                    interrupts++;
                }
            }
            Thread.onSpinWait();
        }
        return interrupts;
    }

    /** Returns how often it was found interrupted after a release. */
    private int takeInterrupted(DistributedLock lock, Target target) {
        int interrupted = 0;
        int taken = 0;
        for (int tries = 0; taken < LEASES && tries < MOST_TRIES; tries++) {
            boolean waits = tries % 2 == 0;
            Optional<Lease> lease = target.expose(() -> waits ? acquire(lock) : lock.tryAcquire());
            if (lease.isPresent()) {
                taken++;
                interrupted += use(lease.get(), target);
            }
        }
        assertThat(taken).as("leases").isEqualTo(LEASES);
        return interrupted;
    }

    private int takeInLine(DistributedLock lock, Target target) {
        int interrupted = 0;
        int taken = 0;
        for (int tries = 0; taken < LEASES && tries < MOST_TRIES; tries++) {
            // An interrupt may still come after the release that it was meant for.
            Optional<Lease> lease = acquire(lock);
            if (lease.isPresent()) {
                taken++;
                interrupted += use(lease.get(), target);
            }
        }
        assertThat(taken).as("leases").isEqualTo(LEASES);
        return interrupted;
    }

    private int use(Lease lease, Target target) {
        assertThat(holders.incrementAndGet()).as("holders").isEqualTo(1);
        assertThat(lease.isHeld()).isTrue();
        holders.decrementAndGet();
        boolean before = Thread.interrupted();
        assertThat(target.expose(lease::release))
                .as("released, or about to be, interrupted before: %s", before)
                .isTrue();
        return Thread.interrupted() ? 1 : 0;
    }

    private static Optional<Lease> acquire(DistributedLock lock) {
        try {
            return Optional.of(lock.acquire());
        } catch (InterruptedException meanwhile) {
            return Optional.empty();
        }
    }

    private int takeTurns(DistributedLock lock) {
        int taken = 0;
        while (!done.get()) {
            Optional<Lease> lease = lock.tryAcquire();
            if (lease.isPresent()) {
                assertThat(holders.incrementAndGet()).as("holders").isEqualTo(1);
                holders.decrementAndGet();
                assertThat(lease.get().release()).isTrue();
                taken++;
            }
        }
        return taken;
    }

    private static void awaitNothingLeft(Tree tree, String base) {
        Tree.await()
                .untilAsserted(() -> assertThat(tree.children("/" + base + "/locks/interrupted"))
                        .isEmpty());
    }

    private static Holdfast connect(String base) {
        String mode = base.equals("simple") ? "simple" : "fair";
        return Holdfast.connect("zookeeper://" + node.address() + "/" + base + "#session=40s&mode=" + mode);
    }
}
