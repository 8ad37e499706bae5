package dev.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LossReason;
import dev.holdfast.spring.locked.ScheduledRuns;
import dev.holdfast.test.TestLocks;
import dev.holdfast.test.spring.HoldfastTest;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.test.context.ContextConfiguration;

/** What a user of {@code @Locked} can try with {@code @HoldfastTest}: the lock is lost while the method runs. */
class HoldfastTestTest {

    static class Checkout {
        @Locked(name = "orders:#{#order}")
        public String confirm(String order, Runnable work, @Nullable Lease lease) {
            work.run();
            return lease.isHeld() ? "held" : "lost";
        }
    }

    @Nested
    @HoldfastTest
    @ContextConfiguration(classes = Checkout.class)
    class OfALockedMethod {
        @Autowired
        TestLocks locks;

        @Autowired
        Checkout checkout;

        @Test
        void callerIsToldOfAnEviction() {
            assertThatThrownBy(() -> checkout.confirm("42", () -> locks.lose("orders:42"), null))
                    .isInstanceOf(LeaseLostException.class)
                    .hasMessageContaining("orders:42");
            locks.events().assertLost("orders:42", LossReason.EVICTED);
        }

        @Test
        void callerIsToldThatTheLeaseRanOutWhileTheStoreWasSilent() {
            assertThatThrownBy(() -> checkout.confirm(
                            "42",
                            () -> {
                                locks.storeIsSilent();
                                locks.timePasses(Duration.ofSeconds(31));
                            },
                            null))
                    .isInstanceOf(LeaseLostException.class);
            locks.events().assertLost("orders:42", LossReason.EXPIRED);
        }

        @Test
        void ownExceptionOfTheMethodKeepsTheLossBesideIt() {
            assertThatThrownBy(() -> checkout.confirm(
                            "42",
                            () -> {
                                locks.lose("orders:42");
                                throw new IllegalStateException("no such order");
                            },
                            null))
                    .hasMessage("no such order")
                    .satisfies(thrown ->
                            assertThat(thrown.getSuppressed()).singleElement().isInstanceOf(LeaseLostException.class));
        }

        @Test
        void callThatLosesNothingSucceeds() {
            assertThat(checkout.confirm("42", () -> locks.timePasses(Duration.ofMinutes(5)), null))
                    .isEqualTo("held");
            locks.events().assertNothingLost();
        }
    }

    static class Job {
        private final CountDownLatch begun = new CountDownLatch(1);
        private final CountDownLatch mayEnd = new CountDownLatch(1);

        @Scheduled(fixedDelay = 1, timeUnit = TimeUnit.DAYS)
        @Locked(name = "nightly")
        public void run() throws InterruptedException {
            begun.countDown();
            mayEnd.await();
        }

        void awaitBegun() throws InterruptedException {
            begun.await();
        }

        void finish() {
            mayEnd.countDown();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    @Import(Job.class)
    static class Nightly {
        final BlockingQueue<Throwable> failures = new LinkedBlockingQueue<>();

        @Bean
        ThreadPoolTaskScheduler taskScheduler() {
            ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
            scheduler.setErrorHandler(failures::add);
            return scheduler;
        }
    }

    @Nested
    @HoldfastTest
    @ContextConfiguration(classes = Nightly.class)
    class OfAScheduledMethod {
        @Autowired
        TestLocks locks;

        @Autowired
        Nightly nightly;

        @Autowired
        ScheduledRuns runs;

        @Autowired
        Job job;

        @Test
        void schedulerIsToldAndTheRunCountsAsFailed() throws InterruptedException {
            job.awaitBegun();
            assertThat(runs.all())
                    .singleElement()
                    .satisfies(run -> assertThat(run.lastOutcome()).isEqualTo(ScheduledRuns.Outcome.RUNNING));
            locks.lose("nightly");
            locks.anotherClientTakes("nightly");
            job.finish();
            assertThat(nightly.failures.poll(1, TimeUnit.MINUTES)).isInstanceOf(LeaseLostException.class);
            Awaitility.await().until(() -> runs.all().get(0).lastOutcome() == ScheduledRuns.Outcome.FAILED);
            locks.events().assertLost("nightly", LossReason.EVICTED);
        }
    }
}
