package dev.holdfast.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastException;
import dev.holdfast.Lease;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever callers do to their threads, the files stay open and locked. */
final class CallersTest {
    private static final int CALLERS = 4;
    private static final int INTERRUPTS = 3_000;
    private static final int CALLS = 400;
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration LONG_TIMEOUT = Duration.ofMinutes(5);

    @TempDir
    Path directory;

    @Test
    void thousandsOfInterruptsBreakNothing() throws InterruptedException {
        try (Holdfast client = Holdfast.connect("file:" + directory);
                Holdfast other = Holdfast.connect("file:" + directory)) {
            Lease held = client.lock("held").acquire();
            AtomicBoolean done = new AtomicBoolean();
            AtomicInteger inside = new AtomicInteger();
            AtomicInteger rounds = new AtomicInteger();
            AtomicReference<Throwable> failure = new AtomicReference<>();
            List<Thread> callers = new ArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                DistributedLock lock = (i % 2 == 0 ? client : other).lock("contended");
                callers.add(new Thread(
                        () -> {
                            while (!done.get()) {
                                acquireOnce(lock, inside, rounds, failure);
                            }
                        },
                        "interrupted-" + i));
            }
            callers.forEach(Thread::start);
            for (int i = 0; i < INTERRUPTS; i++) {
                callers.get(i % CALLERS).interrupt();
                int before = rounds.get();
                if (i % 100 == 0) {
                    Awaitility.await().atMost(PATIENCE).until(() -> rounds.get() > before);
                }
            }
            done.set(true);
            for (Thread caller : callers) {
                caller.join(PATIENCE.toMillis());
                assertThat(caller.isAlive())
                        .as("%s has come to its end", caller)
                        .isFalse();
            }

            assertThat(failure.get()).isNull();
            assertThat(held.isHeld()).isTrue();
            assertThat(other.lock("held").tryAcquire()).isEmpty();
            assertThat(held.release()).isTrue();
            assertThat(other.lock("held").tryAcquire()).isPresent();
            Awaitility.await()
                    .atMost(PATIENCE)
                    .until(() -> other.inspect("contended").isEmpty());
        }
    }

    private static void acquireOnce(
            DistributedLock lock, AtomicInteger inside, AtomicInteger rounds, AtomicReference<Throwable> failure) {
        try (Lease lease = lock.acquire()) {
            if (inside.incrementAndGet() != 1 || !lease.isHeld()) {
                failure.compareAndSet(null, new AssertionError("two holders"));
            }
            inside.decrementAndGet();
            rounds.incrementAndGet();
        } catch (InterruptedException expected) {
            rounds.incrementAndGet();
        } catch (RuntimeException unexpected) {
            failure.compareAndSet(null, unexpected);
        }
    }

    @Test
    void interruptOfAWholeGroupOfThreadsDoesNotReachTheStore() throws IOException, InterruptedException {
        ThreadGroup group = new ThreadGroup("application");
        AtomicReference<Holdfast> opened = new AtomicReference<>();
        Thread opener = new Thread(group, () -> opened.set(Holdfast.connect("file:" + directory)), "opener");
        opener.start();
        opener.join();
        try (Holdfast client = opened.get();
                Holdfast other = Holdfast.connect("file:" + directory)) {
            Lease held = client.lock("x").acquire();
            group.interrupt();
            assertThat(client.lock("y").tryAcquire()).isPresent();
            assertThat(other.lock("x").tryAcquire()).isEmpty();
            assertThat(held.release()).isTrue();
            assertThat(other.lock("x").tryAcquire()).isPresent();
        }
    }

    @Test
    void closeEndsEveryCallThatWaits() throws IOException, InterruptedException {
        Holdfast client = Holdfast.builder()
                .url("file:" + directory)
                .commandTimeout(LONG_TIMEOUT)
                .build();
        try (HolderProcess process = HolderProcess.start(List.of(), List.of())) {
            process.tell("lock-directory " + directory);
            process.expect("locked");
            List<Thread> callers = new ArrayList<>();
            for (int i = 0; i < CALLS; i++) {
                Thread caller = new Thread(() -> pingQuietly(client), "caller-" + i);
                caller.setDaemon(true);
                caller.start();
                callers.add(caller);
            }
            Awaitility.await()
                    .atMost(PATIENCE)
                    .until(() -> callers.stream().allMatch(caller -> caller.getState() == Thread.State.TIMED_WAITING));
            Thread closing = new Thread(client::close, "closing");
            closing.start();
            Awaitility.await().atMost(PATIENCE).until(() -> closing.getState() == Thread.State.TIMED_WAITING);
            process.tell("unlock-directory");
            closing.join(PATIENCE.toMillis());
            assertThat(closing.isAlive()).isFalse();
            for (Thread caller : callers) {
                caller.join(PATIENCE.toMillis() / CALLS + 1);
            }
            assertThat(callers).noneMatch(Thread::isAlive);
        }
    }

    private static void pingQuietly(Holdfast client) {
        try {
            client.ping();
        } catch (HoldfastException closed) {
            return;
        }
    }
}
