package dev.holdfast.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class OwnerIdTest {
    @Test
    void whatWasWrittenIsReadBack() {
        OwnerId id = new OwnerId(-1, 42);
        assertThat(id).hasToString("ffffffffffffffff000000000000002a");
        assertThat(OwnerId.parse(id.toString())).isEqualTo(id);
    }

    @Test
    void anythingElseIsRefused() {
        assertThatThrownBy(() -> OwnerId.parse("abc")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> OwnerId.parse("g".repeat(32))).isInstanceOf(IllegalArgumentException.class);
    }
}
