package dev.holdfast.cli.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.cli.console.Complaint;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StoresTest {
    @Test
    void theOptionCountsMoreThanTheEnvironment() {
        assertThat(url("memory:", Map.of("HOLDFAST_URL", "file:/a", "HOME", "/h")))
                .isEqualTo("memory:");
        assertThat(url(null, Map.of("HOLDFAST_URL", "file:/a", "HOME", "/h"))).isEqualTo("file:/a");
    }

    @Test
    void theUsualStoreIsADirectoryOfTheUsersOwn() {
        assertThat(url(null, Map.of("HOME", "/h"))).isEqualTo("file:/h/.local/state/holdfast");
        assertThat(url(null, Map.of("HOME", "/h", "XDG_STATE_HOME", "/s"))).isEqualTo("file:/s/holdfast");
        assertThat(url(null, Map.of("HOME", "/h", "XDG_STATE_HOME", "s", "HOLDFAST_URL", "")))
                .isEqualTo("file:/h/.local/state/holdfast");
        assertThat(url(null, Map.of())).isEqualTo("file:" + System.getProperty("user.home") + "/.local/state/holdfast");
    }

    @Test
    void aDirectoryThatNoUrlCanNameIsRefused() {
        assertThatThrownBy(() -> url(null, Map.of("HOME", "/h#1")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("/h#1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "nope:x", "memory:#speed=1", "file:/tmp/x#%zz=1"})
    void aUrlThatCannotWorkIsTheUsersMistake(String url) {
        assertThat(Complaint.isBadUrl(url)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"memory:", "memory:x", "file:/nowhere"})
    void aUrlThatCouldWorkIsNot(String url) {
        assertThat(Complaint.isBadUrl(url)).isFalse();
    }

    @Test
    void mySqlIsReachedThroughMariaDbsDriverUnlessItsOwnIsThere() {
        assertThat(StoreChoice.driverUrl("jdbc:mysql://h/db?user=a#prefix=p_"))
                .isEqualTo("jdbc:mariadb://h/db?user=a#prefix=p_");
        assertThat(StoreChoice.driverUrl("jdbc:postgresql://h/db")).isEqualTo("jdbc:postgresql://h/db");
    }

    private static String url(@Nullable String option, Map<String, String> environment) {
        return Stores.url(option, new Settings(environment, ConfigFile.none()));
    }
}
