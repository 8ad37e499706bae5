package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Election;
import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastEvent;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What an election does when threads cannot be had, and when candidatures follow each other. */
class LockElectionTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final List<String> calls = new CopyOnWriteArrayList<>();
    private final List<HoldfastEvent> events = new CopyOnWriteArrayList<>();

    @Test
    void callbacksRunLaterWhenNoThreadCanBeStarted() {
        AtomicInteger refusals = new AtomicInteger(1);
        try (Client locks = open();
                Election election = locks.election("office", LockOptions.defaults(), scarce(refusals))) {
            election.campaign(lease -> calls.add("elected"), reason -> calls.add("deposed"));
            await().atMost(LIMIT).until(() -> calls.equals(List.of("elected")));
            assertThat(events)
                    .anyMatch(event -> event instanceof HoldfastEvent.CallbackFailed failed
                            && failed.cause() instanceof OutOfMemoryError);
            refusals.set(1);
            assertThat(locks.evict("office", "test")).isEqualTo(1);
            await().atMost(LIMIT).until(() -> calls.equals(List.of("elected", "deposed", "elected")));
            assertThat(election.isLeader()).isTrue();
        }
    }

    @Test
    void nextCandidatureStandsWhenTheCallbackOfTheLastHasReturned() throws InterruptedException {
        CountDownLatch returns = new CountDownLatch(1);
        try (Client locks = open();
                Election election = locks.election("office")) {
            election.campaign(
                    lease -> {
                        calls.add("first");
                        awaitQuietly(returns);
                        calls.add("first returned");
                    },
                    reason -> {});
            await().atMost(LIMIT).until(() -> !calls.isEmpty());
            election.resign();
            election.campaign(lease -> calls.add("second"), reason -> {});
            election.resign();
            election.campaign(lease -> calls.add("third"), reason -> {});
            Lease other = locks.lock("office").acquire();
            assertThat(locks.inspect("office").orElseThrow().waiters()).isEmpty();
            assertThat(election.isLeader()).isFalse();
            returns.countDown();
            other.close();
            election.awaitLeadership();
            await().atMost(LIMIT).until(() -> calls.equals(List.of("first", "first returned", "third")));
        }
    }

    private Client open() {
        return (Client) Holdfast.builder().url("memory:").listener(events::add).build();
    }

    /** Threads that cannot be started as often as the counter says. */
    private static ThreadFactory scarce(AtomicInteger refusals) {
        return work -> new Thread(work) {
            @Override
            public synchronized void start() {
                if (refusals.getAndDecrement() > 0) {
                    throw new OutOfMemoryError("unable to create native thread");
                }
                super.start();
            }
        };
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            boolean unused = latch.await(LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
    }
}
