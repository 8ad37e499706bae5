package dev.holdfast.torture.worker;

import dev.holdfast.HoldfastException;
import dev.holdfast.Lease;
import dev.holdfast.fence.Fence;
import dev.holdfast.fence.StaleTokenException;
import dev.holdfast.torture.history.Line;
import dev.holdfast.torture.referee.RefereeLine;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;

/**
 * The control with the lock and without a guard, staged so that it does not need luck: one worker reads under the lock and is
 * paused until another one was granted it and has written; then it writes what it had computed. The register that takes
 * every write must lose an update by that, and the one behind the fence must refuse. A run in which it does not could not
 * have found what a paused holder does.
 */
final class Staging {
    private static final String LOCK = "staged";

    private final Worker worker;
    private final RefereeLine referee;
    private final String name;
    private final CountDownLatch awake = new CountDownLatch(1);

    Staging(Worker worker) {
        this.worker = worker;
        this.referee = worker.referee();
        this.name = worker.settings().prefix() + LOCK;
    }

    /** Takes the lock, reads, says so, and writes when it is told to; by then the process has been paused for long. */
    void hold() {
        Thread thread = new Thread(() -> say("written", () -> change(awake)), "staged-holder");
        thread.setDaemon(true);
        thread.start();
    }

    /** Tells the holder to write. */
    void write() {
        awake.countDown();
    }

    /** Takes the lock when the store gives it away, and writes. */
    void take() {
        Thread thread = new Thread(() -> say("taken", () -> change(new CountDownLatch(0))), "staged-taker");
        thread.setDaemon(true);
        thread.start();
    }

    private void change(CountDownLatch moment) throws InterruptedException {
        Duration patience = worker.settings().lease().multipliedBy(20);
        Optional<Lease> lease = worker.client().lock(name, worker.options()).tryAcquire(patience);
        if (lease.isEmpty()) {
            return;
        }
        try {
            change(moment, lease.get());
        } catch (StaleTokenException refused) {
            referee.tell(Line.of("stale").with("op", LOCK).with("token", Long.toString(refused.token())));
        } finally {
            lease.get().release();
        }
    }

    private void change(CountDownLatch moment, Lease lease) throws InterruptedException {
        Line read = referee.ask(Line.of("read").with("reg", name), System.nanoTime());
        FencedRegister register = new FencedRegister(referee, LOCK, name);
        Fence<Long> fence = Fence.around(name, register);
        long value = fence.read(lease);
        if (moment.getCount() > 0) {
            System.out.println("staged");
        }
        moment.await();
        Line write = Line.of("write").with("reg", name).with("staged", true).with("v", read.number("v") + 1);
        referee.ask(write.with("ver", read.number("ver")), System.nanoTime());
        register.basedOn(value);
        fence.write(lease, value + 1);
    }

    /** Whatever comes of it, the coordinator waits for the word. */
    private static void say(String word, Step step) {
        try {
            step.run();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } catch (HoldfastException failed) {
            System.err.println("the staged control failed: " + failed);
        } finally {
            System.out.println(word);
        }
    }

    @FunctionalInterface
    private interface Step {
        void run() throws InterruptedException;
    }
}
