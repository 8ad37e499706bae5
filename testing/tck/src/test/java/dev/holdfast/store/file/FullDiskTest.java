package dev.holdfast.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastException;
import dev.holdfast.Lease;
import dev.holdfast.StoreUnavailableException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A full disk refuses acquires with a clear error, and takes away nothing that is held. */
final class FullDiskTest {
    private static final int KILOBYTES = 600;
    private static final int HELD = 50;
    private static final int MOST_ACQUIRES = 5_000;
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String FULL = "the disk is full";

    @TempDir
    Path temporary;

    /** Kept, so that nobody finds them forgotten and gives them back. */
    private final List<Optional<Lease>> filler = new ArrayList<>();

    private SmallDisk disk;
    private Path directory;

    @BeforeEach
    void mount() throws IOException, InterruptedException {
        disk = SmallDisk.mount(temporary.resolve("disk"), KILOBYTES);
        directory = disk.path().resolve("store");
    }

    @AfterEach
    void unmount() throws InterruptedException {
        if (disk != null) {
            disk.close();
        }
    }

    @Test
    void acquireSaysSoAndReleasesWorkAndEverythingGoesOnAfterwards() throws IOException, InterruptedException {
        try (Holdfast client = Holdfast.connect("file:" + directory);
                Holdfast other = Holdfast.connect("file:" + directory)) {
            List<Lease> held = new ArrayList<>();
            for (int i = 0; i < HELD; i++) {
                held.add(client.lock("held/" + i).acquire());
            }
            disk.fill();
            assertThatThrownBy(() -> fillJournal(client))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining(FULL);
            assertThat(client.inspect("held/0").orElseThrow().holders()).hasSize(1);
            for (Lease lease : held) {
                assertThat(lease.isHeld()).isTrue();
                assertThat(lease.release()).isTrue();
            }
            assertThat(other.list("held/", Integer.MAX_VALUE)).isEmpty();
            assertThatThrownBy(() -> other.lock("x").tryAcquire())
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining(FULL);

            disk.makeRoom();
            try (Lease again = other.lock("held/0").tryAcquire().orElseThrow()) {
                assertThat(again.token()).isGreaterThan(held.get(0).token());
            }
        }
    }

    @Test
    void whatComesBehindAFailedAcquireInTheSameStepIsAnsweredFromTheRealTable()
            throws IOException, InterruptedException, ExecutionException {
        try (Holdfast client = Holdfast.builder()
                        .url("file:" + directory)
                        .commandTimeout(PATIENCE)
                        .build();
                HolderProcess process = HolderProcess.start(List.of(), List.of())) {
            Lease held = client.lock("held").acquire();
            disk.fill();
            fillToTheLastByte(client);

            process.tell("lock-directory " + directory);
            process.expect("locked");
            FutureTask<Boolean> first = waiting(() -> {
                client.ping();
                return true;
            });
            FutureTask<Boolean> failing = waiting(
                    () -> client.lock("longer than the fillers").tryAcquire().isPresent());
            FutureTask<Boolean> release = waiting(held::release);
            process.tell("unlock-directory");

            assertThat(first.get()).isTrue();
            assertThatThrownBy(failing::get).cause().hasMessageContaining(FULL);
            assertThat(release.get()).as("the lease was held until its release").isTrue();
            assertThat(client.inspect("held")).isEmpty();
        }
    }

    @Test
    void evictionIsToldAlthoughTheHolderHasFailedToAcquire() throws IOException, InterruptedException {
        try (Holdfast client = Holdfast.connect("file:" + directory);
                Holdfast other = Holdfast.connect("file:" + directory)) {
            Lease held = client.lock("held").acquire();
            disk.fill();
            fillToTheLastByte(client);
            assertThat(other.evict("held", "the test wants it")).isEqualTo(1);
            Awaitility.await().atMost(PATIENCE).until(() -> !held.isHeld());
        }
    }

    @Test
    void clientThatFindsNoRoomToBeginLeavesNothingBehind() throws IOException, InterruptedException {
        try (Holdfast client = Holdfast.connect("file:" + directory)) {
            disk.fill();
            for (int i = 0; i < 5; i++) {
                assertThatThrownBy(() -> client.lock("x").tryAcquire()).hasMessageContaining(FULL);
            }
            assertThat(new StoreFiles(directory).homes()).isEmpty();
            disk.makeRoom();
            assertThat(client.lock("x").tryAcquire()).isPresent();
        }
    }

    @Test
    void newDirectoryIsRefusedAndMadeOnceThereIsRoom() throws IOException, InterruptedException {
        disk.fill();
        assertThatThrownBy(() -> Holdfast.connect("file:" + directory))
                .isInstanceOf(HoldfastException.class)
                .hasMessageContaining(FULL);
        disk.makeRoom();
        try (Holdfast client = Holdfast.connect("file:" + directory)) {
            assertThat(client.lock("x").tryAcquire()).isPresent();
        }
    }

    /** The first failure may leave some room that was found in the attempt. */
    private void fillToTheLastByte(Holdfast client) {
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> fillJournal(client)).hasMessageContaining(FULL);
        }
    }

    /** Acquires until there is no room left. */
    private void fillJournal(Holdfast client) {
        for (int i = 0; i < MOST_ACQUIRES; i++) {
            filler.add(client.lock("filler/" + i).tryAcquire());
        }
    }

    /** Does something on a thread of its own; returns when that thread waits for the store. */
    private static FutureTask<Boolean> waiting(Callable<Boolean> work) {
        FutureTask<Boolean> task = new FutureTask<>(work);
        Thread thread = new Thread(task, "waits for the store");
        thread.setDaemon(true);
        thread.start();
        Awaitility.await().atMost(PATIENCE).until(() -> thread.getState() == Thread.State.TIMED_WAITING);
        return task;
    }
}
