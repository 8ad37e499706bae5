package dev.holdfast.rig.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.rig.Directories;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class SharedDirectoryTest {
    private final String name = "test-" + UUID.randomUUID();

    @AfterEach
    void clear() throws IOException {
        Path bin = Directories.perUser().resolve("bin");
        List<Path> mine;
        try (Stream<Path> all = Files.list(bin)) {
            mine = all.filter(path -> path.getFileName().toString().startsWith(name))
                    .toList();
        }
        for (Path path : mine) {
            Directories.delete(path);
        }
    }

    @Test
    void isMadeOnceForAllWhoWantIt() throws InterruptedException, ExecutionException {
        AtomicInteger made = new AtomicInteger();
        Callable<String> wish = () -> Files.readString(SharedDirectory.find(name, draft -> {
                    made.incrementAndGet();
                    Files.writeString(draft.resolve("file"), "content");
                })
                .resolve("file"));
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            for (Future<String> content : threads.invokeAll(Collections.nCopies(8, wish))) {
                assertThat(content.get()).isEqualTo("content");
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(made).hasValue(1);
    }

    @Test
    void oneThatWasLeftHalfFilledIsMadeAgain() throws InterruptedException {
        assertThatThrownBy(() -> SharedDirectory.find(name, draft -> {
                    Files.writeString(draft.resolve("half"), "x");
                    throw new IOException("disk full");
                }))
                .isInstanceOf(UncheckedIOException.class);
        Path directory = SharedDirectory.find(name, draft -> Files.writeString(draft.resolve("whole"), "x"));
        assertThat(directory).isDirectoryContaining("glob:**whole").isDirectoryNotContaining("glob:**half");
    }
}
