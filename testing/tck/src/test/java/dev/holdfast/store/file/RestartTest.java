package dev.holdfast.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tokens grow over clients that come and go, in whatever way they go. */
final class RestartTest {
    private static final int CLIENTS = 50;
    private static final int KILLED_PROCESSES = 3;

    @TempDir
    Path directory;

    @Test
    void tokensGrowOverManyClients() throws InterruptedException {
        List<Long> tokens = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            try (Holdfast client = Holdfast.connect("file:" + directory);
                    Lease lease = client.lock("x").acquire()) {
                tokens.add(lease.token());
            }
        }
        assertThat(tokens).doesNotHaveDuplicates().isSorted();
    }

    @Test
    void tokensGrowOverKilledProcessesAndNothingOfThemIsLeft() throws IOException, InterruptedException {
        List<Long> tokens = new ArrayList<>();
        for (int i = 0; i < KILLED_PROCESSES; i++) {
            try (HolderProcess process = HolderProcess.on(directory)) {
                tokens.add(process.take("x"));
                tokens.add(process.take("only-of-" + i));
                process.kill();
            }
        }
        try (Holdfast client = Holdfast.connect("file:" + directory)) {
            tokens.add(client.lock("x").tryAcquire().orElseThrow().token());
            assertThat(client.list("", Integer.MAX_VALUE)).hasSize(1);
        }
        assertThat(tokens).doesNotHaveDuplicates().isSorted();
        assertThat(new StoreFiles(directory).homes()).isEmpty();
    }
}
