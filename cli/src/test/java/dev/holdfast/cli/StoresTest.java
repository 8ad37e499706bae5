package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StoresTest {
    @Test
    void theOptionCountsMoreThanTheEnvironment() {
        assertThat(Stores.url("memory:", Map.of("HOLDFAST_URL", "file:/a", "HOME", "/h")))
                .isEqualTo("memory:");
        assertThat(Stores.url(null, Map.of("HOLDFAST_URL", "file:/a", "HOME", "/h")))
                .isEqualTo("file:/a");
    }

    @Test
    void theUsualStoreIsADirectoryOfTheUsersOwn() {
        assertThat(Stores.url(null, Map.of("HOME", "/h"))).isEqualTo("file:/h/.local/state/holdfast");
        assertThat(Stores.url(null, Map.of("HOME", "/h", "XDG_STATE_HOME", "/s")))
                .isEqualTo("file:/s/holdfast");
        assertThat(Stores.url(null, Map.of("HOME", "/h", "XDG_STATE_HOME", "s", "HOLDFAST_URL", "")))
                .isEqualTo("file:/h/.local/state/holdfast");
        assertThat(Stores.url(null, Map.of()))
                .isEqualTo("file:" + System.getProperty("user.home") + "/.local/state/holdfast");
    }

    @Test
    void aDirectoryThatNoUrlCanNameIsRefused() {
        assertThatThrownBy(() -> Stores.url(null, Map.of("HOME", "/h#1")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("/h#1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "nope:x", "memory:#speed=1", "file:/tmp/x#%zz=1"})
    void aUrlThatCannotWorkIsTheUsersMistake(String url) {
        assertThat(Stores.isBadUrl(url)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"memory:", "memory:x", "file:/nowhere"})
    void aUrlThatCouldWorkIsNot(String url) {
        assertThat(Stores.isBadUrl(url)).isFalse();
    }
}
