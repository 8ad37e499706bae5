package dev.holdfast.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.StoreMisconfiguredException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What was once reserved is never reserved again, whatever happens to one of the two files. */
final class EpochBlocksTest {
    private static final int ROUNDS = 60;
    private static final long SEED = 11;

    @TempDir
    Path path;

    private StoreDirectory directory;
    private EpochBlocks epochs;

    @BeforeEach
    void create() throws IOException {
        directory = StoreDirectory.prepare(path);
        epochs = new EpochBlocks(directory);
        epochs.create();
    }

    @Test
    void everyBlockLiesBehindAllEarlierOnesWhicheverSlotIsDamagedInBetween() throws IOException {
        Random random = new Random(SEED);
        long largest = 0;
        for (int round = 0; round < ROUNDS; round++) {
            int damage = random.nextInt(3);
            if (damage < 2) {
                damage(damage, random);
            }
            long end = epochs.reserve(0);
            assertThat(end - EpochBlocks.BLOCK)
                    .as("start of the block of round %d", round)
                    .isGreaterThanOrEqualTo(largest);
            largest = end;
        }
    }

    @Test
    void endIsNeverBelowWhatWasReservedAlthoughTheNewestSlotIsDamagedTwice() throws IOException {
        epochs.reserve(0);
        damage(0, new Random(SEED));
        long reserved = epochs.reserve(0);
        damage(0, new Random(SEED));
        assertThat(epochs.end()).isGreaterThanOrEqualTo(reserved);
    }

    @Test
    void blockLiesBehindWhatWasUsedAlthoughBothSlotsAreOlder() throws IOException {
        long used = epochs.end() + 10 * EpochBlocks.BLOCK;
        long reserved = epochs.reserve(used);
        assertThat(reserved).isEqualTo(used + EpochBlocks.BLOCK);
        damage(0, new Random(SEED));
        assertThat(epochs.end()).isGreaterThanOrEqualTo(reserved);
        epochs.reserve(0);
        damage(1, new Random(SEED));
        assertThat(epochs.end()).isGreaterThan(reserved);
    }

    @Test
    void nothingIsReservedWhenBothSlotsAreUnreadable() throws IOException {
        damage(0, new Random(SEED));
        Files.delete(directory.epochs(1));
        assertThat(epochs.areReadable()).isFalse();
        assertThatThrownBy(() -> epochs.reserve(0))
                .isInstanceOf(StoreMisconfiguredException.class)
                .hasMessageContaining("tokens");
    }

    private void damage(int slot, Random random) throws IOException {
        switch (random.nextInt(3)) {
            case 0 -> Files.deleteIfExists(directory.epochs(slot));
            case 1 -> Files.write(directory.epochs(slot), new byte[random.nextInt(40)]);
            default -> {
                byte[] garbage = new byte[24];
                random.nextBytes(garbage);
                Files.write(directory.epochs(slot), garbage);
            }
        }
    }
}
