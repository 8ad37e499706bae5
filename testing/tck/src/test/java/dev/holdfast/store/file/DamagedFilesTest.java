package dev.holdfast.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.StoreUnavailableException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Torn, truncated and garbage files: recovered with larger tokens or refused clearly, and never two holders. */
final class DamagedFilesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** More than the memory of the small process, less than what a journal's entry may have. */
    private static final int HUGE = 0x1f00_0000;

    private static HolderProcess holder;
    private static HolderProcess newcomer;

    @TempDir
    Path temporary;

    private StoreFiles files;
    private Path directory;

    @BeforeAll
    static void startProcesses() {
        holder = HolderProcess.start(List.of(), List.of());
        newcomer = HolderProcess.start(List.of(), List.of());
    }

    @AfterAll
    static void endProcesses() {
        holder.close();
        newcomer.close();
    }

    @BeforeEach
    void choose() {
        directory = temporary.resolve("store");
        files = new StoreFiles(directory);
    }

    @ParameterizedTest
    @EnumSource
    void withNobodyAliveEverythingGoesOnWithLargerTokens(Damage damage) throws IOException, InterruptedException {
        long before = tokensOfAWhile();
        damage.inflict(files);
        long between = tokensOfAWhile();
        assertThat(between).isGreaterThan(before);
        damage.inflict(files);
        assertThat(tokensOfAWhile()).isGreaterThan(between);
    }

    @ParameterizedTest
    @EnumSource
    void withALivingHolderNobodyElseGetsItsLock(Damage damage) throws IOException, InterruptedException {
        holder.open(directory).take("earlier");
        long token = holder.take("x");
        damage.inflict(files);

        newcomer.tell("open file:" + directory);
        if (newcomer.reply().equals("ready")) {
            String attempt = newcomer.ask("try x");
            boolean granted = attempt.startsWith("acquired");
            assertThat(granted && holder.ask("held x").equals("held true"))
                    .as("two holders of x: %s", attempt)
                    .isFalse();
        } else {
            newcomer.ask("leave");
        }

        holder.ask("leave");
        Awaitility.await().atMost(PATIENCE).untilAsserted(() -> {
            newcomer.open(directory);
            assertThat(newcomer.take("x")).isGreaterThan(token);
        });
        newcomer.ask("leave");
    }

    @Test
    void damageUnderALivingHolderIsReportedInOneClearSentence() throws IOException, InterruptedException {
        holder.open(directory).take("x");
        StoreFiles.scramble(files.journal());
        try {
            assertThatThrownBy(() -> Holdfast.connect("file:" + directory))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining(directory.toString())
                    .hasMessageContaining("1 other client(s) may still hold locks there; end them, then try again");
        } finally {
            holder.ask("leave");
        }
    }

    @Test
    void tornEntryOfAKilledWriterHidesNothingAndIsWrittenOver() throws IOException, InterruptedException {
        holder.open(directory).take("x");
        Damage.TORN_ENTRY.inflict(files);
        newcomer.open(directory);
        assertThat(newcomer.ask("try x")).isEqualTo("contended");
        newcomer.take("y");
        assertThat(holder.ask("inspect y")).isEqualTo("sees 1 0");
        assertThat(holder.ask("release x")).isEqualTo("released true");
        newcomer.take("x");
        holder.ask("leave");
        newcomer.ask("leave");
    }

    @Test
    void holderThatIsAloneIsToldOfItsLossAndGoesOn() throws IOException, InterruptedException {
        long token = holder.open(directory).take("x");
        StoreFiles.scramble(files.journal());
        assertThat(holder.take("y")).isGreaterThan(token);
        assertThat(holder.ask("held x")).isEqualTo("held false");
        assertThat(holder.ask("loss x")).isEqualTo("loss SESSION_LOST");
        assertThat(holder.take("x")).isGreaterThan(token);
        holder.ask("leave");
    }

    @Test
    void nothingIsGrantedWithoutReadableEpochs() throws IOException, InterruptedException {
        tokensOfAWhile();
        StoreFiles.scramble(files.epochs(0));
        Files.delete(files.epochs(1));
        try (Holdfast client = Holdfast.connect("file:" + directory)) {
            assertThatThrownBy(() -> client.lock("x").acquire())
                    .isInstanceOf(StoreMisconfiguredException.class)
                    .hasMessageContaining("tokens could repeat")
                    .hasMessageContaining(directory.toString());
        }
    }

    @Test
    void damagedSlotOfTheEpochsIsMendedBeforeTheOtherOneIsNeeded() throws IOException, InterruptedException {
        long before = tokensOfAWhile();
        StoreFiles.scramble(files.epochs(0));
        long between = tokensOfAWhile();
        assertThat(between).isGreaterThan(before);
        StoreFiles.scramble(files.epochs(1));
        assertThat(tokensOfAWhile()).isGreaterThan(between);
    }

    @Test
    void nothingIsGrantedWithoutReadableEpochsAfterAStartOfTheMachineEither() throws IOException, InterruptedException {
        tokensOfAWhile();
        files.startMachineAgain();
        StoreFiles.scramble(files.epochs(0));
        StoreFiles.scramble(files.epochs(1));
        assertThatThrownBy(() -> Holdfast.connect("file:" + directory)).isInstanceOf(StoreMisconfiguredException.class);
    }

    @Test
    void journalThatCannotBeDeletedDoesNotStopAFreshStart() throws IOException, InterruptedException {
        long before = tokensOfAWhile();
        StoreFiles.scramble(files.journal());
        Files.createDirectories(directory.resolve("journal-7").resolve("something"));
        try (Holdfast client =
                Holdfast.builder().url("file:" + directory).lazy(true).build()) {
            Awaitility.await().atMost(PATIENCE).ignoreExceptions().untilAsserted(() -> {
                try (Lease lease = client.lock("x").acquire()) {
                    assertThat(lease.token()).isGreaterThan(before);
                }
            });
        }
    }

    @Test
    void idleClientFollowsAFreshStartWithItsEpochs() throws IOException, InterruptedException {
        newcomer.open(directory);
        StoreFiles.scramble(files.lock());
        long token = holder.open(directory).take("x");
        assertThat(holder.ask("release x")).isEqualTo("released true");
        assertThat(newcomer.take("x")).isGreaterThan(token);
        assertThat(newcomer.ask("release x")).isEqualTo("released true");
        assertThat(holder.ask("inspect x")).isEqualTo("sees 0 0");
        holder.ask("leave");
        newcomer.ask("leave");
    }

    @Test
    void idleClientNoticesAFreshStartAlthoughItsJournalWasDeleted() throws IOException, InterruptedException {
        newcomer.open(directory);
        Files.delete(files.journal());
        StoreFiles.scramble(files.lock());
        holder.open(directory).take("x");
        assertThat(newcomer.ask("try x")).isEqualTo("contended");
        holder.ask("leave");
        newcomer.ask("leave");
    }

    @Test
    void absurdLengthOfAnEntryDoesNotExhaustTheMemory() throws IOException, InterruptedException {
        long before = tokensOfAWhile();
        byte[] length = {(byte) (HUGE >> 24), (byte) (HUGE >> 16), (byte) (HUGE >> 8), (byte) HUGE};
        StoreFiles.overwrite(files.journal(), 0, length);
        try (HolderProcess small = HolderProcess.start(List.of(), List.of("-Xmx32m"))) {
            assertThat(small.open(directory).take("x")).isGreaterThan(before);
        }
    }

    @Test
    void directoryOfANewerReleaseIsRefused() throws IOException, InterruptedException {
        tokensOfAWhile();
        files.writeHeader(header -> new Header(Header.FORMAT + 1, header.generation(), header.boot(), header.end()));
        assertThatThrownBy(() -> Holdfast.connect("file:" + directory))
                .isInstanceOf(StoreMisconfiguredException.class)
                .hasMessageContaining("newer release");
    }

    /** {@return the largest token that two clients were given, one after the other} */
    private long tokensOfAWhile() throws InterruptedException {
        long largest = 0;
        for (int i = 0; i < 2; i++) {
            try (Holdfast client = Holdfast.connect("file:" + directory);
                    Lease lease = client.lock("x").acquire()) {
                assertThat(lease.token()).isGreaterThan(largest);
                largest = lease.token();
            }
        }
        return largest;
    }
}
