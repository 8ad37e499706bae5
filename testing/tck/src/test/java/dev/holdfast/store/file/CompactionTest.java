package dev.holdfast.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockView;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A journal is replaced by a shorter one while others read it. */
final class CompactionTest {
    private static final int NAMES = 1_000;
    private static final int ENOUGH_FOR_SEVERAL_JOURNALS = 3_000;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    Path directory;

    @Test
    void readersSeeEverythingAcrossJournals()
            throws IOException, InterruptedException, ExecutionException, TimeoutException {
        StoreFiles files = new StoreFiles(directory);
        try (Holdfast reader = Holdfast.connect("file:" + directory);
                Holdfast follower = Holdfast.connect("file:" + directory);
                HolderProcess writer = HolderProcess.on(directory)) {
            Lease mine = reader.lock("mine").acquire();
            writer.take("theirs");
            CompletableFuture<Lease> waiting = reader.lock("theirs").acquireAsync();
            Awaitility.await()
                    .atMost(PATIENCE)
                    .until(() -> writer.ask("inspect theirs").equals("sees 1 1"));
            Path first = files.journal();

            writer.tell("take-many many/ " + NAMES);
            int seen = 0;
            while (writer.isSilent()) {
                int now = follower.list("many/", Integer.MAX_VALUE).size();
                assertThat(now).as("names only come").isGreaterThanOrEqualTo(seen);
                seen = now;
            }
            writer.expect("taken");
            writer.tell("churn churned " + ENOUGH_FOR_SEVERAL_JOURNALS);
            while (writer.isSilent()) {
                assertThat(follower.list("many/", Integer.MAX_VALUE)).hasSize(NAMES);
            }
            writer.expect("churned");

            assertThat(first).as("the first journal").doesNotExist();
            assertThat(Files.size(files.journal())).isLessThan(1_500_000);
            for (Holdfast client : List.of(reader, follower)) {
                assertThat(client.list("many/", Integer.MAX_VALUE)).hasSize(NAMES);
                assertThat(client.inspect("many/" + (NAMES - 1)).map(LockView::holders))
                        .hasValueSatisfying(holders -> assertThat(holders).hasSize(1));
            }
            assertThat(mine.isHeld()).isTrue();
            assertThat(openJournals())
                    .as("open journals of three clients at most")
                    .hasSizeLessThanOrEqualTo(3);
            writer.tell("release theirs");
            writer.expect("released true");
            waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).close();
            assertThat(mine.release()).isTrue();
        }
    }

    /** A journal that was deleted stays on the disk for as long as somebody has it open. */
    private List<String> openJournals() throws IOException {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            return descriptors
                    .filter(Files::isSymbolicLink)
                    .map(CompactionTest::target)
                    .filter(target ->
                            target.startsWith(directory.resolve("journal-").toString()))
                    .toList();
        }
    }

    private static String target(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException closed) {
            return "";
        }
    }
}
