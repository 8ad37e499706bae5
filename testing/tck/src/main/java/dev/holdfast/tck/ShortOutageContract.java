package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastException;
import dev.holdfast.Lease;
import dev.holdfast.StoreTraits.Promise;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.tck.Outages.Fault;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The two outages that are most likely to end in two holders or in a lock that nobody gives back, in a few seconds: for
 * every build, where {@link OutageContract} takes too long. A store's author extends it in the same way. For stores that
 * keep their locks over a restart.
 */
public abstract class ShortOutageContract {
    private static final Duration COMMAND_TIMEOUT = Duration.ofMillis(500);

    /** P17: a command timeout and 250 ms. */
    private static final Duration BUDGET = COMMAND_TIMEOUT.plusMillis(250);

    /** P19. */
    private static final Duration RECOVERY = Duration.ofSeconds(5);

    /** Shorter than the leases, so that nothing passes because a lease ran out. */
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private @Nullable Outages broken;
    private @Nullable Holdfast suffering;
    private @Nullable Holdfast watching;

    /** Made by JUnit, once per test. */
    protected ShortOutageContract() {}

    /**
     * Tells where the store is, for a client that watches.
     *
     * @return the URL
     */
    public abstract String url();

    /**
     * Gives the way to break things. Called once per test.
     *
     * @return the outages
     */
    public abstract Outages outages();

    @BeforeEach
    void connect() {
        Outages outages = outages();
        broken = outages;
        watching = Holdfast.builder().url(url()).commandTimeout(PATIENCE).build();
        suffering = outages.connect(Holdfast.builder())
                .commandTimeout(COMMAND_TIMEOUT)
                .build();
    }

    @AfterEach
    void close() throws Exception {
        if (broken != null) {
            broken.end();
        }
        if (suffering != null) {
            suffering.close();
        }
        if (watching != null) {
            watching.close();
        }
    }

    @Test
    void lostReplies() throws Exception {
        livesThrough(Fault.REPLIES_LOST);
    }

    @Test
    void restart() throws Exception {
        livesThrough(Fault.RESTARTED);
    }

    private void livesThrough(Fault fault) throws Exception {
        Outages outages = known(broken);
        Holdfast exposed = known(suffering);
        Holdfast watcher = known(watching);
        assumeFalse(outages.impossible().containsKey(fault), fault::explanation);
        String held = fault + "-held";
        String waited = fault + "-waited";
        String left = fault + "-left";
        exposed.lock(left).acquire().close();
        Lease mine = exposed.lock(held).acquire();
        Lease others = watcher.lock(waited).acquire();
        CompletableFuture<Lease> waiting = exposed.lock(waited).acquireAsync();
        if (watcher.traits().promises(Promise.SEES_WAITERS)) {
            await().atMost(PATIENCE)
                    .until(() -> watcher.inspect(waited).orElseThrow().waiters().size() == 1);
        }

        outages.begin(fault);
        long begin = System.nanoTime();
        assertThatThrownBy(() -> exposed.lock(left).tryAcquire()).isInstanceOf(StoreUnavailableException.class);
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(BUDGET);
        assertThat(mine.isHeld()).isTrue();
        outages.end();

        // Nothing is left of what was given up, and what was held and waited for goes on.
        Lease free = inTheEnd(() -> watcher.lock(left).tryAcquire(RECOVERY));
        assertThat(free.release()).isTrue();
        assertThat(inTheEnd(() -> exposed.lock(left).tryAcquire()).release()).isTrue();
        assertThat(mine.isHeld()).isTrue();
        assertThat(waiting).isNotDone();
        assertThat(watcher.lock(held).tryAcquire()).isEmpty();
        others.close();
        assertThat(waiting).succeedsWithin(RECOVERY).satisfies(next -> {
            assertThat(next.token()).isGreaterThan(others.token());
            assertThat(next.release()).isTrue();
        });
        assertThat(mine.release()).isTrue();
        assertThat(watcher.lock(held).tryAcquire())
                .hasValueSatisfying(lease -> assertThat(lease.token()).isGreaterThan(mine.token()));
    }

    /** A client may learn only by a failure that its connections have ended. */
    private static Lease inTheEnd(Callable<Optional<Lease>> attempt) {
        return await().atMost(PATIENCE)
                .ignoreExceptionsInstanceOf(HoldfastException.class)
                .until(attempt, Optional::isPresent)
                .orElseThrow();
    }

    private static <T> T known(@Nullable T made) {
        if (made == null) {
            throw new IllegalStateException("the test has not begun");
        }
        return made;
    }
}
