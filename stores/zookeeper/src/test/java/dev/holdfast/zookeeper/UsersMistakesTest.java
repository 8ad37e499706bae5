package dev.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LossReason;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.zookeeper.ZooKeeperNode;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a program can do wrong with a Curator client that it lends. No promise may break in silence by it. */
final class UsersMistakesTest {
    private static final int SESSION_MILLIS = 60_000;

    /** So long that whoever waits for it has failed. */
    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(20);

    @RegisterExtension
    static final Rig rig = new Rig();

    private static ZooKeeperNode node;

    @BeforeAll
    static void start() throws InterruptedException {
        node = ZooKeeperNode.start(rig);
    }

    /** Its nodes are gone with the client, so somebody else is granted the lock at once. */
    @ParameterizedTest
    @EnumSource(Mode.class)
    void lossIsToldBeforeAClientThatIsClosedTooEarlyGivesUpItsNodes(Mode mode) throws InterruptedException {
        String name = "closed-early";
        try (CuratorFramework curator = curator();
                Holdfast locks = locks(curator, mode);
                Holdfast rival = Holdfast.connect(url(mode))) {
            Lease lease = locks.lock(name).acquire();
            CompletableFuture<LossReason> told = Tree.lossOf(lease);
            CompletableFuture<Boolean> stillHeld =
                    rival.lock(name).acquireAsync().thenApply(next -> lease.isHeld());
            curator.close();

            Tree.await().until(stillHeld::isDone);
            assertThat(stillHeld).as("still held when another was granted it").isCompletedWithValue(false);
            Tree.await().until(told::isDone);
            assertThat(told).isCompletedWithValue(LossReason.SESSION_LOST);
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void whoWaitsIsToldThatTheClientWasClosed(Mode mode) throws InterruptedException {
        String name = "waited-for";
        try (CuratorFramework curator = curator();
                Holdfast locks = locks(curator, mode);
                Holdfast rival = Holdfast.connect(url(mode));
                Lease held = rival.lock(name).acquire()) {
            assertThat(locks.lock(name).tryAcquire()).isEmpty();
            CompletableFuture<Lease> waiting = locks.lock(name).acquireAsync();
            curator.close();

            Tree.await().until(waiting::isDone);
            assertThatThrownBy(waiting::join)
                    .isInstanceOf(CompletionException.class)
                    .cause()
                    .isInstanceOf(StoreMisconfiguredException.class)
                    .hasMessageContaining("closed");
            assertThat(held.isHeld()).isTrue();
        }
    }

    @Test
    void clientThatWasNotStartedIsAMisconfiguration() {
        try (CuratorFramework curator = CuratorFrameworkFactory.newClient(node.address(), new RetryOneTime(100))) {
            assertThatThrownBy(() -> locks(curator, Mode.FAIR).close())
                    .isInstanceOf(StoreMisconfiguredException.class)
                    .hasMessageContaining("start()");
        }
    }

    /** Callbacks of Curator are called on the one thread that brings the answers which a call waits for. */
    @ParameterizedTest
    @EnumSource(Mode.class)
    void callOnTheThreadThatBringsTheAnswersIsRefusedAtOnce(Mode mode) throws Exception {
        try (CuratorFramework curator = curator();
                Holdfast locks = locks(curator, mode)) {
            assertThatThrownBy(() ->
                            inCallback(curator, () -> locks.lock("in-callback").tryAcquire()))
                    .isInstanceOf(CompletionException.class)
                    .cause()
                    .isInstanceOf(StoreMisconfiguredException.class)
                    .hasMessageContaining("acquireAsync");
            CompletableFuture<Lease> later =
                    inCallback(curator, () -> locks.lock("in-callback").acquireAsync());
            Tree.await().until(later::isDone);
            later.join().close();
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void leaseCanBeGivenBackOnTheThreadThatBringsTheAnswers(Mode mode) throws Exception {
        try (CuratorFramework curator = curator();
                Holdfast locks = locks(curator, mode);
                Holdfast rival = Holdfast.connect(url(mode))) {
            Lease lease = locks.lock("given-back").acquire();
            CompletableFuture<Lease> next = rival.lock("given-back").acquireAsync();
            inCallback(curator, () -> {
                lease.close();
                return true;
            });
            // The release that waited for its own answer lasted a whole command timeout.
            next.orTimeout(COMMAND_TIMEOUT.dividedBy(2).toMillis(), TimeUnit.MILLISECONDS)
                    .join()
                    .close();
        }
    }

    /** Nobody can hear that the locks were given back, but they are (P18). */
    @ParameterizedTest
    @EnumSource(Mode.class)
    void everythingIsFreeAfterTheThreadThatBringsTheAnswersHasClosed(Mode mode) throws Exception {
        try (CuratorFramework curator = curator();
                Holdfast rival = Holdfast.connect(url(mode))) {
            Holdfast locks = locks(curator, mode, Duration.ofSeconds(2));
            locks.lock("closed-inside").acquire();
            locks.all("closed-inside-1", "closed-inside-2").acquire();
            inCallback(curator, () -> {
                locks.close();
                return true;
            });

            for (String name : new String[] {"closed-inside", "closed-inside-1", "closed-inside-2"}) {
                assertThat(rival.lock(name).tryAcquire()).as(name).isPresent();
            }
        }
    }

    private static <T> T inCallback(CuratorFramework curator, Callable<T> work) throws Exception {
        CompletableFuture<T> result = new CompletableFuture<>();
        curator.checkExists()
                .inBackground((client, event) -> {
                    try {
                        result.complete(work.call());
                    } catch (Exception failed) {
                        result.completeExceptionally(failed);
                    }
                })
                .forPath("/");
        return result.join();
    }

    private static String base(Mode mode) {
        return "/mistakes-" + mode.word();
    }

    private static String url(Mode mode) {
        return "zookeeper://" + node.address() + base(mode) + "#mode=" + mode.word();
    }

    private static Holdfast locks(CuratorFramework curator, Mode mode) {
        return locks(curator, mode, COMMAND_TIMEOUT);
    }

    private static Holdfast locks(CuratorFramework curator, Mode mode, Duration commandTimeout) {
        return Holdfast.builder()
                .store(ZooKeeperLocks.on(curator).withBase(base(mode)).withMode(mode))
                .commandTimeout(commandTimeout)
                .build();
    }

    private static CuratorFramework curator() {
        CuratorFramework curator = CuratorFrameworkFactory.newClient(
                node.address(), SESSION_MILLIS, SESSION_MILLIS, new RetryOneTime(100));
        curator.start();
        return curator;
    }
}
