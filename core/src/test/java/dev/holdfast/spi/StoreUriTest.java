package dev.holdfast.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.StoreMisconfiguredException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StoreUriTest {
    private static StoreUri parse(String url) {
        return StoreUri.parse(url, Map.of(), null);
    }

    @Test
    void optionsFollowTheHashAndNeverReachTheAddress() {
        StoreUri uri = parse("jdbc:postgresql://h/db?ssl=true#strategy=row&prefix=a%26b");
        assertThat(uri.scheme()).isEqualTo("jdbc");
        assertThat(uri.address()).isEqualTo("jdbc:postgresql://h/db?ssl=true");
        assertThat(uri.options()).containsExactly(Map.entry("strategy", "row"), Map.entry("prefix", "a&b"));
    }

    @Test
    void theSchemeIsFoldedToLowerCase() {
        assertThat(parse("Redis+Sentinel://a:1,b:2/main").scheme()).isEqualTo("redis+sentinel");
        assertThat(parse("memory:shared").path()).isEqualTo("shared");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis://user:canary@host:1/0",
                "redis://:canary@host:1",
                "redis://user:p@ss:canary@host:1",
                "redis://user:ca/canary@host:1",
                "jdbc:postgresql://h/db?user=u&password=canary&x=y",
                "jdbc:mysql://h/db?Password=canary",
                "jdbc:sqlserver://h;user=u;password=canary;x=y"
            })
    void secretsDoNotShow(String url) {
        assertThat(parse(url).toString()).doesNotContain("canary");
        assertThat(parse(url).address()).contains("canary");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "localhost", "://x", "1x:y", "re dis://x"})
    void aUrlWithoutSchemeIsRefused(String url) {
        assertThatThrownBy(() -> parse(url))
                .isInstanceOf(StoreMisconfiguredException.class)
                .hasMessageContaining("scheme");
    }

    @ParameterizedTest
    @ValueSource(strings = {"memory:#x", "memory:#=x", "memory:#a=1&", "memory:#a=%zz", "memory:#a=1&a=2"})
    void malformedOptionsAreRefused(String url) {
        assertThatThrownBy(() -> parse(url)).isInstanceOf(StoreMisconfiguredException.class);
    }

    @Test
    void anOptionGivenInBothPlacesIsRefused() {
        assertThatThrownBy(() -> StoreUri.parse("memory:#a=1", Map.of("a", "1"), null))
                .isInstanceOf(StoreMisconfiguredException.class)
                .hasMessageContaining("'a'");
    }
}
