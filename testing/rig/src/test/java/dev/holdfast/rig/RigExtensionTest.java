package dev.holdfast.rig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import dev.holdfast.rig.redis.RedisNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** The sample classes are run by these tests only: their names are not those of tests. */
final class RigExtensionTest {
    private static final List<Path> SEEN = new ArrayList<>();
    private static final List<Long> PIDS = new ArrayList<>();

    @BeforeEach
    void forget() {
        SEEN.clear();
        PIDS.clear();
    }

    @Test
    void failedTestKeepsItsFilesAndEndsItsServers() throws IOException {
        assertThat(run(FailingSample.class).getSummary().getTestsFailedCount()).isEqualTo(1);
        assertThat(SEEN).hasSize(2);
        assertThat(SEEN.get(0)).exists();
        assertThat(SEEN.get(1)).doesNotExist();
        assertThat(PIDS).hasSize(2).noneMatch(pid -> ProcessHandle.of(pid).isPresent());
        Directories.delete(SEEN.get(0));
    }

    @Test
    void sharedServerLivesUntilTheOuterClassIsDone() {
        assertThat(run(SharedSample.class).getSummary().getTestsSucceededCount())
                .isEqualTo(3);
        assertThat(PIDS).hasSize(3).containsOnly(PIDS.get(0));
        assertThat(ProcessHandle.of(PIDS.get(0))).isEmpty();
        assertThat(SEEN.get(0)).doesNotExist();
    }

    @Test
    void suiteThatCannotRunIsSkippedAndSaysWhy() {
        SummaryGeneratingListener result = run(UnsupportedSample.class);
        assertThat(result.getSummary().getTestsAbortedCount()).isEqualTo(1);
        assertThat(result.getSummary().getTestsFailedCount()).isZero();
    }

    private static SummaryGeneratingListener run(Class<?> sample) {
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(selectClass(sample))
                                .build(),
                        listener);
        return listener;
    }

    private static void note(Rig rig, RedisNode redis) {
        SEEN.add(rig.directory());
        PIDS.add(redis.server().pid());
        assertThat(redis.ask("PING")).isEqualTo("PONG");
    }

    @TestMethodOrder(MethodOrderer.MethodName.class)
    static final class FailingSample {
        @RegisterExtension
        final Rig rig = new Rig();

        @Test
        void fails() throws InterruptedException {
            note(rig, RedisNode.start(rig));
            throw new IllegalStateException("this failure is wanted");
        }

        @Test
        void succeeds() throws InterruptedException {
            note(rig, RedisNode.start(rig));
        }
    }

    static final class SharedSample {
        @RegisterExtension
        static final Rig rig = new Rig();

        private static RedisNode shared;

        @BeforeEach
        void start() throws InterruptedException {
            if (shared == null) {
                shared = RedisNode.start(rig);
            }
        }

        @Test
        void one() {
            note(rig, shared);
        }

        @Nested
        final class Inner {
            @Test
            void two() {
                note(rig, shared);
            }
        }

        @Nested
        final class Another {
            @Test
            void three() {
                note(rig, shared);
            }
        }
    }

    static final class UnsupportedSample {
        @Test
        void cannotRun() {
            throw new CannotRunException("This sample never runs.");
        }
    }
}
