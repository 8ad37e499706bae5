package dev.holdfast.engine.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.OwnerId;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

    /**
     * A process that was frozen into a snapshot (CRaC, SnapStart) and started twice from it has the same memory twice,
     * but wall time has gone on, and the machine's secure source gives each of them something else.
     */
    @ParameterizedTest
    @ValueSource(longs = {150, -150, 3_600_000})
    void idsDrawnAheadAreNotUsedAfterAJumpOfWallTime(long jumpMillis) {
        Clone one = new Clone(1);
        Clone other = new Clone(2);
        assertThat(one.ids(300)).as("clones before they part").isEqualTo(other.ids(300));
        one.restore(jumpMillis);
        other.restore(jumpMillis);
        assertThat(idsInCommon(one, other)).isZero();
    }

    @Test
    void theFirstIdsAreNotUsedAfterAJumpOfWallTimeEither() {
        Clone one = new Clone(1);
        Clone other = new Clone(2);
        assertThat(one.ids(1)).as("clones before they part").isEqualTo(other.ids(1));
        one.restore(150);
        other.restore(150);
        assertThat(idsInCommon(one, other)).isZero();
    }

    /** So many that the next batch is drawn, too. */
    private static int idsInCommon(Clone one, Clone other) {
        Set<OwnerId> common = new HashSet<>(one.ids(600));
        common.retainAll(other.ids(600));
        return common.size();
    }

    /** A mint in a process that is restored from a snapshot; before that, all of them are the same. */
    private static final class Clone {
        private final AtomicLong wallMillis = new AtomicLong(1_800_000_000_000L);
        private final AtomicReference<Random> source = new AtomicReference<>(new Random(0));
        private final OwnerMint mint =
                new OwnerMint(wallMillis::get, bytes -> source.get().nextBytes(bytes));
        private final long seed;

        Clone(long seed) {
            this.seed = seed;
        }

        void restore(long jumpMillis) {
            wallMillis.addAndGet(jumpMillis);
            source.set(new Random(seed));
        }

        List<OwnerId> ids(int count) {
            return Stream.generate(mint).limit(count).toList();
        }
    }
}
