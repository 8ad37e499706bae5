package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.Lock;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LeakTest {
    private final List<HoldfastEvent> events = new CopyOnWriteArrayList<>();

    @Test
    void aForgottenHandleIsReleasedAndReportedWithTheStackThatTookIt() {
        try (Holdfast locks =
                Holdfast.builder().url("memory:").listener(events::add).build()) {
            takeAndForget(locks);
            await().atMost(Duration.ofSeconds(30)).until(() -> {
                System.gc();
                return events.stream().anyMatch(HoldfastEvent.Leaked.class::isInstance);
            });
            HoldfastEvent.Leaked leak = events.stream()
                    .filter(HoldfastEvent.Leaked.class::isInstance)
                    .map(HoldfastEvent.Leaked.class::cast)
                    .findFirst()
                    .orElseThrow();
            assertThat(leak.lockName()).isEqualTo("forgotten");
            assertThat(leak.takenAt().orElseThrow().getStackTrace())
                    .anyMatch(frame -> frame.getMethodName().equals("takeAndForget"));
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> locks.lock("forgotten").tryAcquire().isPresent());
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void aForgottenHandleIsReleasedWhateverTheKindOfItsLock(Kind kind) {
        try (Holdfast locks =
                Holdfast.builder().url("memory:").listener(events::add).build()) {
            takeAndForget(kind.of(locks));
            await().atMost(Duration.ofSeconds(30)).until(() -> {
                System.gc();
                return events.stream().anyMatch(HoldfastEvent.Leaked.class::isInstance);
            });
            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> assertThat(locks.list("", 10)).isEmpty());
        }
    }

    private enum Kind {
        WRITE_LOCK(locks -> locks.readWriteLock("a").writeLock()),
        READ_LOCK(locks -> locks.readWriteLock("a").readLock()),
        PERMITS(locks -> locks.semaphore("a", 3).permits(2)),
        SEVERAL_NAMES(locks -> locks.all("a", "b"));

        private final Function<Holdfast, DistributedLock> lock;

        Kind(Function<Holdfast, DistributedLock> lock) {
            this.lock = lock;
        }

        DistributedLock of(Holdfast locks) {
            return lock.apply(locks);
        }
    }

    @Test
    void aThreadOwnedHoldIsNeverReleasedByGarbageCollection() throws InterruptedException {
        try (Holdfast locks =
                Holdfast.builder().url("memory:").listener(events::add).build()) {
            Thread owner = new Thread(() -> locks.lock("owned").asLock().lock());
            owner.start();
            owner.join();
            takeAndForget(locks);
            await().atMost(Duration.ofSeconds(30)).until(() -> {
                System.gc();
                return events.stream().anyMatch(HoldfastEvent.Leaked.class::isInstance);
            });
            assertThat(events)
                    .filteredOn(HoldfastEvent.Leaked.class::isInstance)
                    .extracting(HoldfastEvent::lockName)
                    .containsExactly("forgotten");
            assertThat(locks.lock("owned").tryAcquire()).isEmpty();
            Lock view = locks.lock("owned").asLock();
            assertThat(view.tryLock()).isFalse();
        }
    }

    private static void takeAndForget(Holdfast locks) {
        takeAndForget(locks.lock("forgotten"));
    }

    private static void takeAndForget(DistributedLock lock) {
        assertThat(lock.tryAcquire()).isPresent();
    }
}
