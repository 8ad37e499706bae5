package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.StoreContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One member of several does not answer releases: what is given back at the others reaches them all the same. */
@Timeout(60)
class SilentMemberReleaseTest {
    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final Duration A_MOMENT = Duration.ofMillis(20);
    private static final int AT_SILENT_MEMBER = 20;
    private static final int USUALLY_AT_ONCE = 5;
    private static final int REPEATS_AT_ONCE = 4;
    private static final int MORE_THAN_THREADS = 100;
    private static final LockOptions STICKY = LockOptions.defaults().withStickyFor(Duration.ofMinutes(1));

    private final Thread user = Thread.currentThread();

    /** One permit for each request in the background that hangs. */
    private final Semaphore hanging = new Semaphore(0);

    /** Names whose next release or withdrawal fails at once. */
    private final Set<String> failOnce = ConcurrentHashMap.newKeySet();

    private final CountDownLatch goOn = new CountDownLatch(1);
    private final Holdfast other = Holdfast.connect("memory:silent-releases");
    private final Holdfast locks = Holdfast.builder().store(Members::new).build();

    @AfterEach
    void close() {
        goOn.countDown();
        locks.close();
        other.close();
    }

    @Test
    void repeatedReleasesThatHangDoNotHoldUpAnIdleLockOfAnotherMember() throws InterruptedException {
        locks.lock("alive", STICKY).acquire().close();
        fillTheRepeats();
        assertThatOthersGetTheLockOfTheLivingMember();
    }

    /** Each fails on this thread, and hangs when it is repeated in the background. */
    private void fillTheRepeats() throws InterruptedException {
        for (int i = 0; i < AT_SILENT_MEMBER; i++) {
            locks.lock("dead" + i).acquire().release();
            assertThat(i >= REPEATS_AT_ONCE || hanging.tryAcquire(LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
        }
    }

    @Test
    void firstReleasesThatHangDoNotHoldUpAnIdleLockOfAnotherMember() throws InterruptedException {
        locks.lock("alive", STICKY).acquire().close();
        List<CompletableFuture<Lease>> wanted = new ArrayList<>();
        for (int i = 0; i < AT_SILENT_MEMBER; i++) {
            locks.lock("dead" + i, STICKY).acquire().close();
            wanted.add(other.lock("dead" + i).acquireAsync());
            // Until then, one by one: each of them has a request of its own.
            assertThat(i >= USUALLY_AT_ONCE || hanging.tryAcquire(LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
        }
        assertThatOthersGetTheLockOfTheLivingMember();
        assertThat(wanted).as("locks of the silent member").noneMatch(CompletableFuture::isDone);
    }

    @Test
    void releaseThatFailedOnceDoesNotWaitBehindThoseThatHang() throws InterruptedException {
        fillTheRepeats();
        failOnce.add("alive");
        assertThat(locks.lock("alive").acquire().release()).as("it is repeated").isTrue();
        assertThatOthersGetTheLockOfTheLivingMember();
    }

    @Test
    void withdrawalThatFailedOnceDoesNotWaitBehindThoseThatHang() throws InterruptedException {
        Lease blocking = other.lock("alive").acquire();
        for (int i = 0; i < AT_SILENT_MEMBER; i++) {
            String name = "dead" + i;
            failOnce.add(name);
            other.lock(name).acquire();
            assertThat(locks.lock(name).tryAcquire(A_MOMENT)).isEmpty();
            assertThat(i >= REPEATS_AT_ONCE || hanging.tryAcquire(LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
        }
        failOnce.add("alive");
        assertThat(locks.lock("alive").tryAcquire(A_MOMENT)).isEmpty();
        await().atMost(LIMIT)
                .until(() -> failOnce.isEmpty()
                        && other.inspect("alive").orElseThrow().waiters().isEmpty());
        assertThat(goOn.getCount()).as("the silent member is still silent").isOne();
        blocking.close();
    }

    @Test
    void asynchronousReleasesThatHangDoNotHoldUpThatOfAnotherMember() throws InterruptedException {
        Lease alive = locks.lock("alive").acquire();
        List<Lease> dead = new ArrayList<>();
        for (int i = 0; i < MORE_THAN_THREADS; i++) {
            dead.add(locks.lock("dead" + i).acquire());
        }
        dead.forEach(Lease::releaseAsync);
        CompletableFuture<Boolean> released = alive.releaseAsync();
        assertThatOthersGetTheLockOfTheLivingMember();
        goOn.countDown();
        assertThat(released).succeedsWithin(LIMIT).isEqualTo(true);
    }

    private void assertThatOthersGetTheLockOfTheLivingMember() throws InterruptedException {
        assertThat(other.lock("alive").tryAcquire(LIMIT)).isPresent();
        assertThat(goOn.getCount()).as("the silent member is still silent").isOne();
    }

    /** Answers for names that begin with "alive" only. */
    private final class Members extends DelegatingStore {
        Members(StoreContext context) {
            super("silent-releases", context);
        }

        @Override
        public void withdraw(Claim claim, boolean mayStillArrive) {
            String name = claim.describe();
            failOnce(name);
            if (!name.startsWith("alive")) {
                hanging.release();
                takeUntil(goOn);
                throw new StoreUnavailableException("withdraw", name, null);
            }
            super.withdraw(claim, mayStillArrive);
        }

        private void failOnce(String name) {
            if (failOnce.remove(name)) {
                throw new StoreUnavailableException("call", name, null);
            }
        }

        @Override
        public List<ReleaseOutcome> release(List<Grant> grants) {
            grants.forEach(grant -> failOnce(grant.name()));
            List<Grant> alive = grants.stream()
                    .filter(grant -> grant.name().startsWith("alive"))
                    .toList();
            List<ReleaseOutcome> answers = alive.isEmpty() ? List.of() : super.release(alive);
            if (alive.size() == grants.size()) {
                return answers;
            }
            if (Thread.currentThread() != user) {
                hanging.release();
                takeUntil(goOn);
            }
            throw new StoreUnavailableException("release", grants.get(0).name(), null);
        }
    }

    private static void takeUntil(CountDownLatch end) {
        try {
            end.await();
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
        }
    }
}
