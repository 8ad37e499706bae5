package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bad input gets an error that names what was wrong, and changes nothing. */
class BadInputTest {
    private final Holdfast locks = Holdfast.connect("memory:");

    @AfterEach
    void nothingWasChanged() {
        assertThat(locks.list("", 10)).isEmpty();
        locks.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a\nb", "a\u0000", "\u007f", "\ud800"})
    void namesThatNoStoreCouldKeep(String name) {
        assertThatThrownBy(() -> locks.lock(name)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> locks.all("fine", name)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> locks.readWriteLock(name)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> locks.semaphore(name, 2)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> locks.election(name)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> locks.inspect(name)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> locks.evict(name, "why")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aNameMayHave255BytesAndNoMore() {
        assertThat(locks.lock("ü".repeat(127) + "x").names()).hasSize(1);
        assertThatThrownBy(() -> locks.lock("ü".repeat(128)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("255");
        assertThatThrownBy(() -> locks.lock("x".repeat(256))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void severalNamesNeedOneAndNoneTwice() {
        assertThatThrownBy(() -> locks.all()).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> locks.all("a", "b", "a"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'a'");
    }

    @Test
    void durationsOutOfRangeAreNamed() {
        LockOptions options = LockOptions.defaults();
        for (Duration wrong : List.of(Duration.ZERO, Duration.ofSeconds(-1), Duration.ofDays(4000))) {
            assertThatThrownBy(() -> options.withLeaseTime(wrong)).hasMessageContaining("leaseTime");
            assertThatThrownBy(() -> options.withMaxHold(wrong)).hasMessageContaining("maxHold");
        }
        assertThatThrownBy(() -> options.withStickyFor(Duration.ofMillis(-1))).hasMessageContaining("stickyFor");
        assertThatThrownBy(() -> options.withHandOff(-1, Duration.ZERO)).hasMessageContaining("handOffLimit");
        assertThatThrownBy(() -> options.withHandOff(4096, Duration.ZERO)).hasMessageContaining("handOffLimit");
        assertThatThrownBy(() -> options.withHandOff(1, Duration.ofMillis(-1))).hasMessageContaining("handOffTime");
        assertThatThrownBy(() -> options.withLabel("a\tb")).hasMessageContaining("label");
        assertThatThrownBy(() -> locks.lock("a").tryAcquire(Duration.ofNanos(-1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> locks.lock("a").tryAcquireAsync(Duration.ofNanos(-1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Holdfast.builder().commandTimeout(Duration.ZERO))
                .hasMessageContaining("commandTimeout");
    }

    @Test
    void countsOutOfRangeAreNamed() {
        assertThatThrownBy(() -> locks.semaphore("s", 0)).hasMessageContaining("capacity");
        assertThatThrownBy(() -> locks.semaphore("s", 1_000_001)).hasMessageContaining("capacity");
        assertThatThrownBy(() -> locks.semaphore("s", 3).permits(4)).hasMessageContaining("'s' has 3 permits");
        assertThatThrownBy(() -> locks.semaphore("s", 3).permits(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> locks.list("", 0)).hasMessageContaining("limit");
        assertThatThrownBy(() -> locks.evict("x", " ")).hasMessageContaining("reason");
    }

    @Test
    void unknownSchemesAndOptionsSayWhatIsKnown() {
        assertThatThrownBy(() -> Holdfast.connect("nosuch://x"))
                .isInstanceOf(StoreMisconfiguredException.class)
                .hasMessageContaining("nosuch")
                .hasMessageContaining("memory");
        assertThatThrownBy(() -> Holdfast.connect("memory:x#colour=red"))
                .isInstanceOf(StoreMisconfiguredException.class)
                .hasMessageContaining("colour");
        assertThatThrownBy(() -> Holdfast.builder().build()).isInstanceOf(StoreMisconfiguredException.class);
        assertThatThrownBy(
                        () -> Holdfast.builder().url("memory:").option("x", "y").build())
                .isInstanceOf(StoreMisconfiguredException.class);
        assertThatThrownBy(() -> Holdfast.builder().clientName("")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aLiveNameOfAnotherKindOrCapacityIsRefused() throws InterruptedException {
        try (Lease held = locks.semaphore("s", 3).permits(1).acquire()) {
            assertThatThrownBy(() -> locks.semaphore("s", 5).permits(1).tryAcquire())
                    .isInstanceOf(LockMismatchException.class)
                    .hasMessageContaining("capacity 3")
                    .hasMessageContaining("capacity 5");
            assertThatThrownBy(() -> locks.lock("s").acquire()).isInstanceOf(LockMismatchException.class);
            assertThat(locks.inspect("s").orElseThrow().holders()).hasSize(1);
            assertThat(held.isHeld()).isTrue();
        }
        try (Lease other = locks.lock("s").acquire()) {
            assertThat(other.isHeld()).isTrue();
        }
    }
}
