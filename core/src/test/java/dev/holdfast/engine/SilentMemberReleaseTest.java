package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.StoreContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
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
    private static final int AT_SILENT_MEMBER = 20;
    private static final int USUALLY_AT_ONCE = 5;
    private static final int REPEATS_AT_ONCE = 4;
    private static final int MORE_THAN_THREADS = 100;
    private static final LockOptions STICKY = LockOptions.defaults().withStickyFor(Duration.ofMinutes(1));

    private final Thread user = Thread.currentThread();

    /** One permit for each request in the background that hangs. */
    private final Semaphore hanging = new Semaphore(0);

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
        for (int i = 0; i < AT_SILENT_MEMBER; i++) {
            // Fails on this thread, and hangs when it is repeated in the background.
            locks.lock("dead" + i).acquire().release();
            assertThat(i >= REPEATS_AT_ONCE || hanging.tryAcquire(LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
        }
        assertThatOthersGetTheLockOfTheLivingMember();
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
        public List<ReleaseOutcome> release(List<Grant> grants) {
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
