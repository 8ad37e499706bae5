package dev.holdfast.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.LockKind;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.redis.BareClient;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/**
 * Several clients that take a few locks again and again while something happens to the nodes, and remember every grant.
 * Used by one thread.
 */
final class RedlockWorkers implements AutoCloseable {
    private static final int CLIENTS = 4;
    private static final int NAMES = 3;

    private final int readersPercent;
    private final Duration lease;
    private final Predicate<Claim> witness;
    private final List<BareClient> clients = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    private final Queue<Claimed> history = new ConcurrentLinkedQueue<>();
    private final Queue<Claimed> witnessed = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean over = new AtomicBoolean();
    private int wanted;

    /** One thing that happens. */
    interface Event {
        void happen() throws InterruptedException;
    }

    RedlockWorkers(String url, Duration lease, long seed) {
        this(url, lease, seed, claim -> false, 0);
    }

    /**
     * Sets clients to work.
     *
     * @param witness asked of every claim when it has been granted; those that it confirms are kept apart as well
     */
    RedlockWorkers(String url, Duration lease, long seed, Predicate<Claim> witness) {
        this(url, lease, seed, witness, 0);
    }

    /** Sets clients to work that read and write; so many of a hundred claims are those of readers. */
    static RedlockWorkers reading(String url, Duration lease, long seed, int readersPercent) {
        return new RedlockWorkers(url, lease, seed, claim -> false, readersPercent);
    }

    private RedlockWorkers(String url, Duration lease, long seed, Predicate<Claim> witness, int readersPercent) {
        this.readersPercent = readersPercent;
        this.lease = lease;
        this.witness = witness;
        for (int i = 0; i < CLIENTS; i++) {
            // Every other client has no useful hints, so that the second round is needed often.
            RedlockRules rules = RedlockRules.sound();
            BareClient client = RedlockNodes.open(url, i % 2 == 0 ? rules : rules.with(new Hints(() -> 0)));
            clients.add(client);
            if (i == 0) {
                client.store().ping();
            }
            Random random = new Random(seed + i);
            Thread thread = new Thread(() -> takeAndGiveBack(client, random), "redlock-worker-" + i);
            thread.setUncaughtExceptionHandler((worker, failure) -> failures.add(failure));
            threads.add(thread);
            thread.start();
        }
    }

    /** Lets one thing happen after another until there are so many grants. */
    void workWhile(int grants, Duration patience, Event event) throws InterruptedException {
        wanted = grants;
        long until = System.nanoTime() + patience.toNanos();
        while (history.size() < grants && failures.isEmpty() && System.nanoTime() - until < 0) {
            event.happen();
        }
    }

    /** Ends the work and sees that it was done. */
    void end(String what) throws InterruptedException {
        over.set(true);
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println(history.size() + " grants with " + what + "; in two rounds: "
                + clients.stream()
                        .mapToLong(client -> RedlockNodes.storeOf(client)
                                .claims()
                                .writeBack()
                                .grantsInTwoRounds())
                        .sum());
        assertThat(failures).isEmpty();
        assertThat(history).hasSizeGreaterThanOrEqualTo(wanted);
    }

    /** {@return every grant} */
    List<Claimed> history() {
        return List.copyOf(history);
    }

    /** {@return the grants that the witness confirmed, each from that moment on} */
    List<Claimed> witnessed() {
        return List.copyOf(witnessed);
    }

    @Override
    public void close() {
        over.set(true);
        clients.forEach(BareClient::close);
    }

    private void takeAndGiveBack(BareClient client, Random random) {
        while (!over.get()) {
            Claim claim = claim("name-" + random.nextInt(NAMES), random).queued(false);
            try {
                takeOnce(client, claim, random);
            } catch (StoreUnavailableException unknown) {
                withdraw(client, claim);
            }
        }
    }

    private Claim claim(String name, Random random) {
        int units = random.nextInt(100) < readersPercent ? 1 : Claim.MANY;
        return readersPercent == 0
                ? BareClient.claim(lease, name)
                : BareClient.claim(lease, List.of(new Claim.Part(name, LockKind.READ_WRITE, units, Claim.MANY)));
    }

    private void takeOnce(BareClient client, Claim claim, Random random) {
        long asked = BareClient.nanos();
        if (!(client.store().tryAcquire(claim) instanceof AcquireOutcome.Granted granted)) {
            return;
        }
        Grant grant = granted.grants().get(0);
        long returned = BareClient.nanos();
        boolean confirmed = witness.test(claim);
        long confirmedNanos = BareClient.nanos();
        long valid = Objects.requireNonNull(grant.validFor()).toNanos();
        long deadline = asked + valid - valid / 100 - 2_000_000;
        if (random.nextInt(100) == 0) {
            // Some hold it for longer, and some die with it.
            LockSupport.parkNanos(random.nextLong(2 * lease.toNanos()));
        }
        boolean shared = RedlockCalls.isReader(claim.parts().get(0));
        boolean dies = random.nextInt(200) == 0;
        long ended = dies ? deadline : Math.min(deadline, BareClient.nanos());
        history.add(new Claimed(grant.name(), grant.epoch(), shared, asked, returned, ended));
        if (confirmed) {
            witnessed.add(new Claimed(grant.name(), grant.epoch(), shared, asked, confirmedNanos, ended));
        }
        if (!dies) {
            client.store().release(List.of(grant));
        }
    }

    private static void withdraw(BareClient client, Claim claim) {
        try {
            client.store().withdraw(claim, true);
        } catch (StoreUnavailableException again) {
            // The claim's lease ends it.
        }
    }
}
