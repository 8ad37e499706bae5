package dev.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.spring.locked.ScheduledRuns;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** Scheduled methods of two instances that share a store. */
class ScheduledTest {

    @Test
    void methodRunsOnOneOfTheInstancesAndTheOtherLeavesItToThat() {
        ApplicationContextRunner instance = Apps.bare()
                .withPropertyValues("holdfast.url=memory:scheduled")
                .withUserConfiguration(Scheduling.class)
                .withBean(Job.class);
        instance.run(first -> instance.run(second -> {
            Job one = first.getBean(Job.class);
            Job other = second.getBean(Job.class);
            Awaitility.await().until(() -> skipped(first) || skipped(second));
            AssertableApplicationContext busy = skipped(first) ? second : first;
            assertThat(one.started() + other.started()).isEqualTo(1);
            assertThat(run(busy).lastOutcome()).isEqualTo(ScheduledRuns.Outcome.RUNNING);
            one.finish();
            other.finish();
            Awaitility.await().until(() -> run(busy).lastOutcome() == ScheduledRuns.Outcome.RAN);
            assertThat(run(busy).locks()).containsExactly("nightly");
            assertThat(run(busy).lastStart()).isNotNull();
            // The method has returned, but the lock is held for an hour: nobody runs it again.
            int skips = busy.getBean(Job.class).started();
            Awaitility.await().until(() -> skipped(busy));
            assertThat(one.started() + other.started()).isEqualTo(1);
            assertThat(skips).isEqualTo(1);
            assertThat(busy.getBean(Holdfast.class).lock("nightly").tryAcquire())
                    .isEmpty();
        }));
        try (Holdfast later = Holdfast.connect("memory:scheduled");
                Lease lease = later.lock("nightly").tryAcquire().orElseThrow()) {
            assertThat(lease.isHeld()).isTrue();
        }
    }

    private static boolean skipped(AssertableApplicationContext context) {
        List<ScheduledRuns.Run> runs = context.getBean(ScheduledRuns.class).all();
        return !runs.isEmpty() && runs.get(0).lastSkipped() != null;
    }

    private static ScheduledRuns.Run run(AssertableApplicationContext context) {
        return context.getBean(ScheduledRuns.class).all().get(0);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    static class Scheduling {}

    static class Job {
        private final AtomicInteger started = new AtomicInteger();
        private volatile boolean finished;

        /** By default it neither waits nor fails when another instance has the lock. */
        @Scheduled(fixedDelay = 5)
        @Locked(name = "nightly", holdAtLeast = "1h")
        void run() {
            started.incrementAndGet();
            Awaitility.await().until(() -> finished);
        }

        int started() {
            return started.get();
        }

        void finish() {
            finished = true;
        }
    }
}
