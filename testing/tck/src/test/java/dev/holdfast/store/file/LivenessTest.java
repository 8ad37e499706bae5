package dev.holdfast.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LossReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients whose files are deleted or opened by their own process: a lock is held, or its holder knows that it is not. */
final class LivenessTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration LONGER_THAN_A_MISSING_FILE_IS_WAITED_FOR = Duration.ofMillis(4_500);

    private static HolderProcess other;

    @TempDir
    Path temporary;

    private Path directory;
    private StoreFiles files;

    @BeforeAll
    static void startProcess() {
        other = HolderProcess.start(List.of(), List.of());
    }

    @AfterAll
    static void endProcess() {
        other.close();
    }

    @BeforeEach
    void choose() {
        directory = temporary.resolve("store");
        files = new StoreFiles(directory);
    }

    @Test
    void deletedDirectoryEndsTheSessionAndIsMadeAgain()
            throws IOException, InterruptedException, ExecutionException, TimeoutException {
        try (Holdfast client = Holdfast.connect("file:" + directory)) {
            Lease held = client.lock("x").acquire();
            CompletableFuture<LossReason> loss = lossOf(held);
            files.delete();
            assertThat(loss.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(LossReason.SESSION_LOST);
            try (Lease again = client.lock("x").tryAcquire().orElseThrow()) {
                assertThat(again.token()).isGreaterThan(held.token());
                other.open(directory);
                assertThat(other.ask("try x")).isEqualTo("contended");
            }
            assertThat(other.take("x")).isGreaterThan(held.token());
            other.ask("leave");
        }
    }

    @Test
    void deletedFileOfItsOwnEndsTheSessionBeforeOthersTakeOver()
            throws IOException, InterruptedException, ExecutionException, TimeoutException {
        try (Holdfast client = Holdfast.connect("file:" + directory)) {
            Lease held = client.lock("x").acquire();
            Files.delete(files.homes().iterator().next().resolve("alive"));
            other.open(directory).tell("wait x");
            long next = other.token();

            assertThat(held.isHeld()).isFalse();
            assertThat(lossOf(held).get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(LossReason.SESSION_LOST);
            assertThat(next).isGreaterThan(held.token());
            other.ask("leave");
        }
    }

    @Test
    void fileThatTookThePlaceOfItsOwnIsNotTakenForIt() throws IOException, InterruptedException {
        try (Holdfast client = Holdfast.connect("file:" + directory)) {
            Lease held = client.lock("x").acquire();
            Path alive = files.homes().iterator().next().resolve("alive");
            Files.delete(alive);
            Files.createFile(alive);
            Awaitility.await().atMost(PATIENCE).until(() -> !held.isHeld());
            assertThat(client.lock("x").tryAcquire(PATIENCE)).isPresent();
        }
    }

    @Test
    void claimOfAnEndedSessionIsNotGrantedToTheNextOne() throws IOException, InterruptedException {
        try (Holdfast client = Holdfast.connect("file:" + directory);
                Holdfast third = Holdfast.connect("file:" + directory)) {
            Lease held = client.lock("x").acquire();
            Set<Path> before = files.homes();
            other.open(directory).tell("wait x");
            Awaitility.await().atMost(PATIENCE).until(() -> waitersOfX(client) == 1);
            Path home = files.homeSince(before);
            Files.delete(home.resolve("alive"));
            Awaitility.await("it notices that, and begins anew or waits without a session")
                    .atMost(PATIENCE)
                    .until(() -> other.ask("inspect y").equals("sees 0 0") && !isLockedAlive(home));
            held.close();
            other.token();

            assertThat(third.lock("x").tryAcquire(LONGER_THAN_A_MISSING_FILE_IS_WAITED_FOR))
                    .as("another client gets the lock while the process holds it")
                    .isEmpty();
            assertThat(other.ask("held x")).isEqualTo("held true");
            assertThat(other.ask("release x")).isEqualTo("released true");
            assertThat(third.lock("x").tryAcquire(PATIENCE)).isPresent();
            other.ask("leave");
        }
    }

    @Test
    void directoryOfTheClientsIsMadeAgain() throws IOException, InterruptedException {
        try (Holdfast client = Holdfast.connect("file:" + directory)) {
            Files.delete(files.clients());
            assertThat(client.lock("x").tryAcquire()).isPresent();
        }
    }

    @Test
    void lookingInTheHoldersOwnProcessDoesNotDropItsLock() throws IOException, InterruptedException {
        try (Holdfast client = Holdfast.connect("file:" + directory);
                Holdfast observer = Holdfast.connect("file:" + directory);
                Lease held = client.lock("x").acquire()) {
            other.open(directory);
            for (Holdfast looking : List.of(client, observer)) {
                assertThat(looking.inspect("x").orElseThrow().holders()).hasSize(1);
                assertThat(looking.list("", 10)).hasSize(1);
                assertThat(looking.lock("x").tryAcquire()).isEmpty();
                assertThat(other.ask("try x")).isEqualTo("contended");
            }
            observer.lock("y").acquire().close();
            observer.close();
            assertThat(other.ask("try x")).isEqualTo("contended");
            assertThat(held.isHeld()).isTrue();
            other.ask("leave");
        }
    }

    @Test
    void lookingDoesNotDropALockAlthoughTheProgramHasReplacedItsSystemProperties()
            throws IOException, InterruptedException {
        Properties before = System.getProperties();
        try (Holdfast client = Holdfast.connect("file:" + directory);
                Holdfast observer = Holdfast.connect("file:" + directory);
                Lease held = client.lock("x").acquire()) {
            other.open(directory);
            Properties replaced = new Properties();
            before.stringPropertyNames().stream()
                    .filter(name -> !name.startsWith("dev.holdfast"))
                    .forEach(name -> replaced.setProperty(name, before.getProperty(name)));
            System.setProperties(replaced);
            assertThat(observer.inspect("x").orElseThrow().holders()).hasSize(1);
            assertThat(other.ask("try x")).isEqualTo("contended");
            assertThat(held.isHeld()).isTrue();
            other.ask("leave");
        } finally {
            System.setProperties(before);
        }
    }

    @Test
    void severalClientsOfOneProcessExcludeEachOtherAndOneEndsWithoutTheOthers()
            throws IOException, InterruptedException {
        try (Holdfast one = Holdfast.connect("file:" + directory);
                Holdfast two = Holdfast.connect("file:" + directory);
                Holdfast three = Holdfast.connect("file:" + directory)) {
            Lease ofOne = one.lock("x").acquire();
            Lease ofTwo = two.lock("y").acquire();
            CompletableFuture<Lease> waiting = three.lock("x").acquireAsync();
            assertThat(two.lock("x").tryAcquire()).isEmpty();
            one.close();
            Lease ofThree = waiting.join();
            assertThat(ofThree.token()).isGreaterThan(ofOne.token());
            assertThat(ofTwo.isHeld()).isTrue();
            other.open(directory);
            assertThat(other.ask("try x")).isEqualTo("contended");
            assertThat(other.ask("try y")).isEqualTo("contended");
            other.ask("leave");
        }
    }

    private static int waitersOfX(Holdfast client) {
        return client.inspect("x").map(view -> view.waiters().size()).orElse(0);
    }

    /** Whether the process still has its file open, although it was deleted. */
    private static boolean isLockedAlive(Path home) throws IOException {
        Path descriptors = Path.of("/proc", Long.toString(other.pid()), "fd");
        try (Stream<Path> open = Files.list(descriptors)) {
            for (Path descriptor : open.toList()) {
                if (Files.isSymbolicLink(descriptor)
                        && Files.readSymbolicLink(descriptor)
                                .toString()
                                .startsWith(home.resolve("alive").toString())) {
                    return true;
                }
            }
        }
        return false;
    }

    private static CompletableFuture<LossReason> lossOf(Lease lease) {
        CompletableFuture<LossReason> loss = new CompletableFuture<>();
        lease.onLost(loss::complete);
        return loss;
    }
}
