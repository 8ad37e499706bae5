package dev.holdfast.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A loss of power brings back older states of the files that are not forced to the disk, or none of them; the epochs are
 * forced. All clients are dead then, and the machine has another life.
 */
final class PowerLossTest {
    private static final int GRANTS = 50;

    @TempDir
    Path temporary;

    private StoreFiles files;
    private Path directory;

    @BeforeEach
    void choose() {
        directory = temporary.resolve("store");
        files = new StoreFiles(directory);
    }

    @Test
    void tokensGoOnUpwardsFromAnOldJournalAndLockFile() throws IOException, InterruptedException {
        grants(1);
        Path saved = temporary.resolve("saved");
        files.saveUnforced(saved);
        long before = grants(GRANTS);
        for (int losses = 0; losses < 3; losses++) {
            files.restoreUnforced(saved);
            long after = grants(GRANTS);
            assertThat(after - (long) GRANTS).isGreaterThan(before);
            before = after;
        }
    }

    @Test
    void tokensGoOnUpwardsWithoutJournalAndLockFile() throws IOException, InterruptedException {
        long before = grants(GRANTS);
        Files.delete(files.journal());
        Files.delete(files.lock());
        assertThat(grants(1)).isGreaterThan(before);
    }

    @Test
    void locksOfTheEarlierLifeAreFree() throws IOException, InterruptedException {
        long token;
        try (HolderProcess holder = HolderProcess.on(directory)) {
            token = holder.take("x");
            holder.kill();
        }
        files.startMachineAgain();
        try (Holdfast client = Holdfast.connect("file:" + directory);
                Lease lease = client.lock("x").tryAcquire().orElseThrow()) {
            assertThat(lease.token()).isGreaterThan(token);
            assertThat(files.homes()).as("what the dead have left").hasSize(1);
        }
    }

    @Test
    void clientThatWasKilledWhileItBeganIsNotInTheWay() throws IOException, InterruptedException {
        long before = grants(1);
        Files.createDirectory(files.clients().resolve(UUID.randomUUID().toString()));
        Files.createFile(files.clients().resolve("a file that does not belong here"));
        files.startMachineAgain();
        assertThat(grants(1)).isGreaterThan(before);
    }

    @Test
    void machineThatCannotTellItsLivesBelievesTheJournalOnlyWhileSomebodyIsAlive()
            throws IOException, InterruptedException {
        long before = grants(1);
        files.writeHeader(header -> new Header(header.format(), header.generation(), "", header.end()));
        try (HolderProcess holder = HolderProcess.on(directory)) {
            assertThat(holder.take("x")).isGreaterThan(before);
            files.writeHeader(header -> new Header(header.format(), header.generation(), "", header.end()));
            try (Holdfast client = Holdfast.connect("file:" + directory)) {
                assertThat(client.lock("x").tryAcquire()).isEmpty();
            }
        }
    }

    /** {@return the largest token of so many grants} */
    private long grants(int count) throws InterruptedException {
        long largest = 0;
        try (Holdfast client = Holdfast.connect("file:" + directory)) {
            for (int i = 0; i < count; i++) {
                try (Lease lease = client.lock("x").acquire()) {
                    assertThat(lease.token()).isGreaterThan(largest);
                    largest = lease.token();
                }
            }
        }
        return largest;
    }
}
