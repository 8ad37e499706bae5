package dev.holdfast.engine.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What users of {@link Lock} expect of {@code asLock()}. */
@Timeout(60)
class JavaLockViewTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anInterruptDuringLockDoesNotCostThePlaceInLine(boolean behindIsOfTheSameClient) throws InterruptedException {
        List<String> order = new CopyOnWriteArrayList<>();
        AtomicBoolean interruptKept = new AtomicBoolean();
        try (Holdfast holder = Holdfast.connect("memory:view-interrupt");
                Holdfast locks = Holdfast.connect("memory:view-interrupt");
                Holdfast others = Holdfast.connect("memory:view-interrupt")) {
            Lease held = holder.lock("a").acquire();
            Thread first = new Thread(() -> {
                Lock view = locks.lock("a").asLock();
                view.lock();
                try {
                    order.add("the interrupted thread");
                    interruptKept.set(Thread.currentThread().isInterrupted());
                } finally {
                    view.unlock();
                }
            });
            first.start();
            await().atMost(LIMIT)
                    .until(() -> holder.inspect("a").orElseThrow().waiters().size() == 1 && isParked(first));
            CompletableFuture<Void> second = (behindIsOfTheSameClient ? locks : others)
                    .lock("a")
                    .acquireAsync()
                    .thenAccept(lease -> {
                        order.add("who came after it");
                        lease.close();
                    });
            if (!behindIsOfTheSameClient) {
                await().atMost(LIMIT)
                        .until(() -> holder.inspect("a").orElseThrow().waiters().size() == 2);
            }
            first.interrupt();
            await().atMost(LIMIT).until(() -> !first.isInterrupted() && isParked(first));
            held.close();
            first.join();
            assertThat(second).succeedsWithin(LIMIT);
            assertThat(order).containsExactly("the interrupted thread", "who came after it");
            assertThat(interruptKept).isTrue();
        }
    }

    private static boolean isParked(Thread thread) {
        return thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING;
    }

    @Test
    @SuppressWarnings("LockNotBeforeTry")
    void everyUnlockOfALostLeaseSaysSoNestedOnesToo() {
        try (Holdfast locks = Holdfast.connect("memory:")) {
            Lock view = locks.lock("a").asLock();
            view.lock();
            view.lock();
            assertThat(locks.evict("a", "test")).isEqualTo(1);
            assertThatThrownBy(view::lock).isInstanceOf(LeaseLostException.class);
            assertThatThrownBy(view::unlock).as("the nested unlock").isInstanceOf(LeaseLostException.class);
            assertThatThrownBy(view::unlock).as("the outer unlock").isInstanceOf(LeaseLostException.class);
            assertThatThrownBy(view::unlock).isInstanceOf(IllegalMonitorStateException.class);
            assertThat(view.tryLock()).as("a fresh lock after all that").isTrue();
            view.unlock();
        }
    }

    /** What was lost is somebody else's, so a thread that waits for it does not wait for itself. */
    @Test
    void aThreadMayWaitForWhatItHasLost() throws InterruptedException {
        try (Holdfast mine = Holdfast.connect("memory:")) {
            mine.lock("lost").asLock().lock();
            assertThat(mine.evict("lost", "test")).isEqualTo(1);
            assertThat(mine.lock("lost").tryAcquire(Duration.ofSeconds(30))).isPresent();
        }
    }
}
