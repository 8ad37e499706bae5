package dev.holdfast.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.StoreMisconfiguredException;
import java.util.Map;
import java.util.Random;
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

    /** However malformed: pieces of URLs are put together at random, with a password wherever one could stand. */
    @Test
    void secretsDoNotShowInUrlsThatArePutTogetherAtRandom() {
        String[] starts = {"redis", "rediss", "redlock+tls", "jdbc:postgresql", "jdbc:oracle:thin", "zookeeper", "Nope"
        };
        String[] slashes = {"://", ":/", ":", ":///", "://h:1,"};
        String[] passwords = {
            ":canary@", "u:canary@", "u:ca:canary@", "u:1/canary@", "u:1?canary@", "u:1#canary@", "u:a@canary@"
        };
        String[] hosts = {"h", "h:1", "h:x", "[::1]:1", "h:1,g:2", "", "h:1@"};
        String[] ends = {"", "/db", "/db?x=y", ";x=y", "?password=canary", ";password=canary;", "#a=b", "#x", "/@"};
        Random random = new Random(7);
        for (int i = 0; i < 20_000; i++) {
            String url = pick(random, starts)
                    + pick(random, slashes)
                    + pick(random, passwords)
                    + pick(random, hosts)
                    + pick(random, ends);
            String said;
            try {
                said = parse(url).toString();
            } catch (StoreMisconfiguredException refused) {
                said = refused.toString();
            }
            assertThat(said).as(url).doesNotContain("canary");
        }
    }

    private static String pick(Random random, String... choices) {
        return choices[random.nextInt(choices.length)];
    }

    @Test
    void whatIsNoSecretIsShown() {
        assertThat(parse("redis://u:p@h:1/0#a=b")).hasToString("redis://***@h:1/0");
        assertThat(parse("redis+sentinel://a:1,b:2/main")).hasToString("redis+sentinel://a:1,b:2/main");
        assertThat(parse("jdbc:postgresql://h:1/db?user=u")).hasToString("jdbc:postgresql://h:1/db?…");
        assertThat(parse("jdbc:h2:file:/a/b;MODE=MySQL")).hasToString("jdbc:h2:file:/a/b;…");
        assertThat(parse("file:/var/lock/a b")).hasToString("file:/var/lock/a b");
        assertThat(parse("memory:x")).hasToString("memory:x");
        assertThat(parse("jdbc:oracle:thin:scott/tiger@h:1521/x")).hasToString("jdbc:oracle:…");
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
