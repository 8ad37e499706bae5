package dev.holdfast.torture.worker;

import dev.holdfast.ClientClosedException;
import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastException;
import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LeasedLock;
import dev.holdfast.LockOptions;
import dev.holdfast.fence.Fence;
import dev.holdfast.fence.StaleTokenException;
import dev.holdfast.torture.history.Line;
import dev.holdfast.torture.referee.RefereeLine;
import dev.holdfast.torture.worker.Attempt.Result;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** One thread of a worker: asks, holds, counts registers up, releases, and tells the referee of each step. */
final class Actor implements Runnable {
    private static final int SYNC_EVERY = 40;
    private static final long SAMPLE_MILLIS = 4;
    private static final long LONG_ENOUGH_TO_BE_TOLD_MILLIS = 400;

    private final Worker worker;
    private final String id;
    private final Random random;
    private final RefereeLine referee;
    private int count;

    /** The last reading of the clock after which the lease said that it was held; guarded by being one thread's. */
    private long lastHeld;

    /** The first reading after the lease had said that it was not; 0 if it never did. */
    private long firstLost;

    Actor(Worker worker, int number) {
        this.worker = worker;
        this.id = worker.settings().process() + "." + number;
        // Not by the process's name alone: a worker that replaces a dead one goes on with other draws.
        this.random = new Random(worker.settings().seed() * 31 + id.hashCode());
        this.referee =
                RefereeLine.open(worker.settings().process(), worker.settings().refereePort());
    }

    @Override
    public void run() {
        try (referee) {
            while (!worker.stopping()) {
                if (worker.phase() == Worker.Phase.LOCKS) {
                    step();
                } else if (worker.phase() == Worker.Phase.CONTROL) {
                    control();
                } else {
                    TimeUnit.MILLISECONDS.sleep(SAMPLE_MILLIS);
                }
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } catch (UncheckedIOException refereeIsGone) {
            System.err.println(id + " ends: " + refereeIsGone.getMessage());
        } catch (RuntimeException unexpected) {
            // Nothing that the API documents: either the library or this program is wrong.
            worker.tell(Line.of("died").with("op", id + "." + count).with("why", Attempt.first(unexpected)));
            throw unexpected;
        }
    }

    /** The control: the same read-modify-write without any lock. If this loses nothing, the run could not have found anything. */
    private void control() throws InterruptedException {
        Line read = referee.ask(Line.of("read").with("reg", "control"), System.nanoTime());
        TimeUnit.MICROSECONDS.sleep(500 + random.nextInt(1500));
        Line write = Line.of("write").with("reg", "control").with("control", true);
        referee.ask(write.with("v", read.number("v") + 1).with("ver", read.number("ver")), System.nanoTime());
    }

    private void step() throws InterruptedException {
        count++;
        if (count % SYNC_EVERY == 0) {
            referee.sync();
        }
        Holdfast client = worker.client();
        Spot spot = Spot.draw(random, worker.settings().prefix(), client);
        Attempt attempt =
                Attempt.draw(random, spot.kind().equals("x"), worker.settings().lease());
        LockOptions options = worker.options();
        String op = id + "." + count;
        long before = System.nanoTime();
        Line asked = Line.of("invoke").with("op", op).with("kind", spot.kind()).with("lock", spot.joined());
        asked.with("units", spot.units()).with("cap", spot.capacity());
        referee.tell(
                asked.with("way", attempt.way().name())
                        .with("wait", attempt.patience().toMillis())
                        .with("client", client.clientName()),
                before);
        Result result;
        try {
            result = attempt.make(() -> spot.lock(client, options));
        } catch (InterruptedException stopped) {
            referee.tell(Line.of("fail").with("op", op).with("why", "interrupted"));
            throw stopped;
        }
        worker.answered(result.word());
        Lease lease = result.lease();
        if (lease == null) {
            referee.tell(
                    Line.of("fail").with("op", op).with("why", result.word()).with("detail", result.detail()));
            TimeUnit.MILLISECONDS.sleep(result.word().equals("none") ? 2 : 20);
        } else {
            hold(op, spot, lease, result.view());
        }
        TimeUnit.MILLISECONDS.sleep(random.nextInt(12));
    }

    private void hold(String op, Spot spot, Lease lease, @Nullable LeasedLock view) throws InterruptedException {
        long got = System.nanoTime();
        String tokens = spot.names().stream()
                .map(name -> Long.toString(lease.token(name)))
                .collect(Collectors.joining(","));
        lastHeld = 0;
        firstLost = 0;
        referee.tell(Line.of("ok").with("op", op).with("tokens", tokens), got);
        lease.onLost(reason -> worker.tell(Line.of("told").with("op", op).with("reason", reason.name())));
        try {
            sample(lease);
            if (spot.exclusive()) {
                countUp(op, spot.names().get(0), lease);
            }
            if (view != null) {
                again(op, lease, view);
            }
            if (!spot.exclusive()) {
                linger(lease);
            }
        } finally {
            end(op, lease, view);
        }
    }

    private void sample(Lease lease) {
        long before = System.nanoTime();
        if (lease.isHeld()) {
            lastHeld = before;
        } else if (firstLost == 0) {
            firstLost = System.nanoTime();
        }
    }

    /** Holds for some milliseconds, seldom for much longer than the lease, which then has to be renewed. */
    private void linger(Lease lease) throws InterruptedException {
        int roll = random.nextInt(1000);
        long leaseMillis = worker.settings().lease().toMillis();
        long millis = roll < 16
                ? leaseMillis + random.nextLong(3 * leaseMillis)
                : roll < 70 ? 50 + random.nextInt(250) : random.nextInt(8);
        long until = System.nanoTime() + Duration.ofMillis(millis).toNanos();
        while (System.nanoTime() < until && firstLost == 0 && !worker.stopping()) {
            TimeUnit.MILLISECONDS.sleep(SAMPLE_MILLIS);
            sample(lease);
        }
    }

    /** The same change to two registers: one that takes every write, one behind a fence that looks at tokens. */
    private void countUp(String op, String name, Lease lease) throws InterruptedException {
        Line read = referee.ask(Line.of("read").with("reg", name).with("op", op), System.nanoTime());
        FencedRegister register = new FencedRegister(referee, op, name);
        Fence<Long> fence = Fence.around(name, register);
        try {
            long value = fence.read(lease);
            sample(lease);
            // In the middle: the process may be paused here, and then it writes without another look, as programs do.
            linger(lease);
            Line write = Line.of("write").with("reg", name).with("op", op).with("v", read.number("v") + 1);
            referee.ask(write.with("ver", read.number("ver")), System.nanoTime());
            register.basedOn(value);
            fence.write(lease, value + 1);
        } catch (StaleTokenException refused) {
            referee.tell(Line.of("stale").with("op", op).with("token", Long.toString(refused.token())));
        }
        sample(lease);
    }

    private void again(String op, Lease lease, LeasedLock view) {
        try {
            if (!view.tryLock()) {
                referee.tell(
                        Line.of("reentry").with("op", op).with("same", false).with("why", "refused"));
                return;
            }
        } catch (HoldfastException lost) {
            // Re-entry on a lost lease throws; that is as it should be.
            referee.tell(Line.of("reentry").with("op", op).with("lost", true));
            return;
        }
        try {
            boolean same =
                    view.lease().map(again -> again.token() == lease.token()).orElse(false);
            referee.tell(Line.of("reentry").with("op", op).with("same", same));
        } finally {
            unlock(view);
        }
    }

    private void end(String op, Lease lease, @Nullable LeasedLock view) throws InterruptedException {
        sample(lease);
        if (firstLost != 0 && random.nextBoolean()) {
            // A loss has to be told also if its holder does not give back what it has lost.
            TimeUnit.MILLISECONDS.sleep(LONG_ENOUGH_TO_BE_TOLD_MILLIS);
        }
        Line ended = Line.of("end").with("op", op).with("from", System.nanoTime());
        String word = view != null ? unlock(view) : release(lease);
        ended.with("held", lastHeld).with("lostAt", firstLost).with("how", word);
        referee.tell(ended);
    }

    private String release(Lease lease) {
        if (random.nextInt(3) == 0) {
            lease.releaseAsync();
            return "async";
        }
        if (random.nextBoolean()) {
            return lease.release() ? "released" : "lost";
        }
        try {
            lease.close();
            return "closed";
        } catch (LeaseLostException lost) {
            return "lost";
        }
    }

    private static String unlock(LeasedLock view) {
        try {
            view.unlock();
            return "unlocked";
        } catch (LeaseLostException lost) {
            return "lost";
        } catch (ClientClosedException closed) {
            return "closed-client";
        } catch (IllegalMonitorStateException notMine) {
            return "not-mine";
        }
    }
}
