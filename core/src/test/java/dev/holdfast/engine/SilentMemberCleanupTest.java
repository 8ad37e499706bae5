package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.StoreContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One member of several falls silent: what has to be cleared away there does not hold up what concerns the others. */
@Timeout(60)
class SilentMemberCleanupTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final Duration TIMEOUT = Duration.ofSeconds(1);
    private static final int DEAD_NAMES = 200;
    private static final int ALIVE_NAMES = 40;
    private static final int MORE_THAN_THREADS = 2_000;

    /** So many threads make attempts in the background. */
    private static final Duration ATTEMPTS_HANG_FOR = TIMEOUT.multipliedBy(MORE_THAN_THREADS / 256);

    private static final int ANSWERS_AFTER_MILLIS = 150;
    private static final String LOSES_REPLY = "alive";

    private volatile boolean silent;
    private final CountDownLatch healed = new CountDownLatch(1);
    private final Holdfast other = Holdfast.connect("memory:silent-cleanup");
    private final Holdfast locks =
            Holdfast.builder().commandTimeout(TIMEOUT).store(Members::new).build();
    private final List<Lease> held = new ArrayList<>();

    @AfterEach
    void close() {
        healed.countDown();
        locks.close();
        other.close();
    }

    /** What an unanswered try was granted stays at the store until the withdrawal comes. */
    @Test
    void withdrawalsThatHangDoNotHoldUpThatOfAnotherMember() throws InterruptedException {
        List<CompletableFuture<Lease>> waiting = waitForDeadNames();
        silent = true;
        waiting.forEach(wait -> wait.cancel(false));
        assertThatThrownBy(() -> locks.lock(LOSES_REPLY).tryAcquire()).isInstanceOf(StoreUnavailableException.class);
        long before = System.nanoTime();
        assertThat(other.lock(LOSES_REPLY).tryAcquire(LIMIT)).isPresent();
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(5));
    }

    /** Nobody has the writer's idle grant any more: it goes back although no thread is free for the reader's attempt. */
    @Test
    void anIdleLockThatMakesWayDoesNotWaitBehindAttemptsThatHang() throws InterruptedException {
        LockOptions sticky = LockOptions.defaults().withStickyFor(LIMIT);
        locks.readWriteLock("alive", sticky).writeLock().acquire().close();
        silent = true;
        for (int i = 0; i < MORE_THAN_THREADS; i++) {
            CompletableFuture<Lease> unused = locks.lock("dead/" + i).acquireAsync();
        }
        locks.readWriteLock("alive").readLock().acquireAsync().cancel(false);
        long before = System.nanoTime();
        assertThat(other.readWriteLock("alive").writeLock().tryAcquire(LIMIT)).isPresent();
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(ATTEMPTS_HANG_FOR.dividedBy(2));
    }

    @Test
    void closingGivesBackWhatTheOtherMembersHaveBesideManyLeasesOfASilentOne() throws InterruptedException {
        for (int i = 0; i < DEAD_NAMES; i++) {
            held.add(locks.lock("dead/" + i).acquire());
        }
        assertThatClosingFreesWhatIsAlive();
    }

    @Test
    void closingGivesBackWhatTheOtherMembersHaveBesideManyWaitersOfASilentOne() throws InterruptedException {
        assertThat(waitForDeadNames()).isNotEmpty();
        assertThatClosingFreesWhatIsAlive();
    }

    private void assertThatClosingFreesWhatIsAlive() throws InterruptedException {
        for (int i = 0; i < ALIVE_NAMES; i++) {
            held.add(locks.lock("alive/" + i).acquire());
        }
        silent = true;
        long before = System.nanoTime();
        locks.close();
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(TIMEOUT.plusSeconds(3));
        assertThat(other.list("alive/", ALIVE_NAMES)).as("what is still held").isEmpty();
    }

    private List<CompletableFuture<Lease>> waitForDeadNames() throws InterruptedException {
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        for (int i = 0; i < DEAD_NAMES; i++) {
            held.add(other.lock("dead/" + i).acquire());
            waiting.add(locks.lock("dead/" + i).acquireAsync());
        }
        await().atMost(LIMIT)
                .until(() -> other.list("dead/", DEAD_NAMES).stream()
                        .noneMatch(seen -> seen.waiters().isEmpty()));
        return waiting;
    }

    /** All members are asked at the same time; a silent one costs a command timeout. A living one is a little slow. */
    private final class Members extends DelegatingStore {
        private final Duration timeout;

        Members(StoreContext context) {
            super("silent-cleanup", context);
            timeout = context.commandTimeout();
        }

        @Override
        public AcquireOutcome tryAcquire(Claim claim) {
            reach("acquire", claim.describe());
            AcquireOutcome outcome = super.tryAcquire(claim);
            if (claim.describe().equals(LOSES_REPLY)) {
                throw new StoreUnavailableException("acquire", LOSES_REPLY, null);
            }
            return outcome;
        }

        @Override
        public void withdraw(Claim claim, boolean mayStillArrive) {
            reach("withdraw", claim.describe());
            super.withdraw(claim, mayStillArrive);
        }

        @Override
        public List<AcquireOutcome> poll(List<Claim> claims) {
            List<AcquireOutcome> outcomes = new ArrayList<>();
            boolean hangs = false;
            for (Claim claim : claims) {
                boolean dead = isDead(claim.describe());
                hangs |= dead;
                outcomes.add(
                        dead
                                ? new AcquireOutcome.Unknown(
                                        new StoreUnavailableException("poll", claim.describe(), null))
                                : super.poll(List.of(claim)).get(0));
            }
            hangIf(hangs);
            return outcomes;
        }

        @Override
        public List<ReleaseOutcome> release(List<Grant> grants) {
            takeMillis(ANSWERS_AFTER_MILLIS);
            List<ReleaseOutcome> outcomes = new ArrayList<>();
            boolean hangs = false;
            for (Grant grant : grants) {
                boolean dead = isDead(grant.name());
                hangs |= dead;
                outcomes.add(
                        dead
                                ? new ReleaseOutcome.Unknown(
                                        new StoreUnavailableException("release", grant.name(), null))
                                : super.release(List.of(grant)).get(0));
            }
            hangIf(hangs);
            return outcomes;
        }

        private boolean isDead(String name) {
            return silent && name.startsWith("dead/") && healed.getCount() > 0;
        }

        private void reach(String operation, String name) {
            if (isDead(name)) {
                hangIf(true);
                throw new StoreUnavailableException(operation, name, null);
            }
        }

        private void hangIf(boolean dead) {
            try {
                boolean unused = dead && healed.await(timeout.toNanos(), TimeUnit.NANOSECONDS);
            } catch (InterruptedException hurried) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
