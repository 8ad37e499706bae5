package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.OwnerId;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class OwnerMintTest {
    @Test
    void idsDoNotRepeatAcrossBatchesAndMints() {
        Set<OwnerId> seen = new HashSet<>();
        OwnerMint one = new OwnerMint();
        OwnerMint other = new OwnerMint();
        for (int i = 0; i < 5_000; i++) {
            seen.add(one.get());
            seen.add(other.get());
        }
        assertThat(seen).hasSize(10_000);
    }

    @Test
    void everyBitIsSetAboutHalfTheTime() {
        OwnerMint mint = new OwnerMint();
        int[] set = new int[128];
        for (int i = 0; i < 10_000; i++) {
            OwnerId id = mint.get();
            for (int bit = 0; bit < 64; bit++) {
                set[bit] += (int) (id.high() >>> bit & 1);
                set[64 + bit] += (int) (id.low() >>> bit & 1);
            }
        }
        assertThat(IntStream.of(set).boxed())
                .allSatisfy(count -> assertThat(count).isBetween(4_600, 5_400));
    }
}
