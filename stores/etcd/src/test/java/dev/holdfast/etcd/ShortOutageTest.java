package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.etcd.EtcdNode;
import dev.holdfast.tck.Outages.Fault;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The two outages that are most likely to end in two holders or in a lock that nobody gives back, in the default run. The
 * others are in the contract suite, which takes a minute.
 */
final class ShortOutageTest {
    private static final Duration COMMAND_TIMEOUT = Duration.ofMillis(500);

    /** P17: a command timeout and 250 ms. */
    private static final Duration BUDGET = COMMAND_TIMEOUT.plusMillis(250);

    /** P19. */
    private static final Duration RECOVERY = Duration.ofSeconds(5);

    @RegisterExtension
    static final Rig rig = new Rig();

    private static EtcdOutages outages;

    private Holdfast exposed;
    private Holdfast watcher;

    @BeforeAll
    static void start() throws InterruptedException {
        EtcdNode node = EtcdNode.start(rig);
        Soon.loadClasses(node.address());
        outages = EtcdOutages.of(rig, node);
    }

    @BeforeEach
    void connect() {
        watcher = Holdfast.builder()
                .url(outages.url())
                .commandTimeout(Duration.ofSeconds(10))
                .build();
        exposed = outages.connect(Holdfast.builder())
                .commandTimeout(COMMAND_TIMEOUT)
                .build();
    }

    @AfterEach
    void close() throws InterruptedException {
        outages.end();
        exposed.close();
        watcher.close();
    }

    @Test
    void lostReplies() throws InterruptedException {
        livesThrough(Fault.REPLIES_LOST);
    }

    @Test
    void restart() throws InterruptedException {
        livesThrough(Fault.RESTARTED);
    }

    private void livesThrough(Fault fault) throws InterruptedException {
        String held = fault + "-held";
        String waited = fault + "-waited";
        String left = fault + "-left";
        exposed.lock(left).acquire().close();
        Lease mine = exposed.lock(held).acquire();
        Lease others = watcher.lock(waited).acquire();
        CompletableFuture<Lease> waiting = exposed.lock(waited).acquireAsync();
        await().atMost(Soon.PATIENCE)
                .until(() -> watcher.inspect(waited).orElseThrow().waiters().size() == 1);

        outages.begin(fault);
        long begin = System.nanoTime();
        assertThatThrownBy(() -> exposed.lock(left).tryAcquire()).isInstanceOf(StoreUnavailableException.class);
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(BUDGET);
        assertThat(mine.isHeld()).isTrue();
        outages.end();

        // Nothing is left of what was given up, and what was held and waited for goes on.
        assertThat(watcher.lock(left).tryAcquire(RECOVERY))
                .hasValueSatisfying(lease -> assertThat(lease.release()).isTrue());
        await().atMost(Soon.PATIENCE)
                .ignoreException(StoreUnavailableException.class)
                .until(() -> exposed.lock(left).tryAcquire().map(Lease::release).orElse(false));
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
}
