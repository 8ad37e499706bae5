package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.StoreContext;
import dev.holdfast.spi.StoreUri;
import dev.holdfast.store.memory.MemoryStoreProvider;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** The switch for staying awake reaches the stores. */
class StayAwakeTest {
    @Test
    void isOnByDefaultAndOffOnOneProcessor() {
        assertThat(HoldfastBuilder.staysAwake(true, 2)).isTrue();
        assertThat(HoldfastBuilder.staysAwake(true, 1)).isFalse();
        assertThat(HoldfastBuilder.staysAwake(false, 2)).isFalse();
        assertThat(looks(Holdfast.builder())).isEqualTo(Runtime.getRuntime().availableProcessors() > 1);
    }

    @Test
    void storeThatAsksItsContextDoesNotStayAwakeWhenItIsOff() {
        assertThat(looks(Holdfast.builder().stayAwake(false))).isFalse();
    }

    @Test
    void copyOfAContextKeepsTheSwitch() {
        StoreContext off = contextOf(Holdfast.builder().stayAwake(false));

        assertThat(looks(off.withListener(off.listener()))).isFalse();
        assertThat(looks(off.withStayAwake(true))).isTrue();
    }

    private static boolean looks(HoldfastBuilder builder) {
        return looks(contextOf(builder));
    }

    /** Whoever does not stay awake does not look whether the event has come. */
    private static boolean looks(StoreContext context) {
        AtomicBoolean looked = new AtomicBoolean();
        context.newShortWait().await(() -> {
            looked.set(true);
            return true;
        });
        return looked.get();
    }

    private static StoreContext contextOf(HoldfastBuilder builder) {
        AtomicReference<StoreContext> seen = new AtomicReference<>();
        builder.store(context -> {
                    seen.set(context);
                    return new MemoryStoreProvider().open(StoreUri.parse("memory:", Map.of(), null), context);
                })
                .build()
                .close();
        return seen.get();
    }
}
