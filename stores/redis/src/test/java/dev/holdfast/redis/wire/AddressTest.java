package dev.holdfast.redis.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Credentials;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.redis.Secrets;
import dev.holdfast.spi.StoreUri;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class AddressTest {
    private static final String CANARY = Secrets.CANARY;

    @Test
    void oneServerWithEverything() {
        Address address = of("rediss://ada:p%40ss%2Bw@db.example:7000/3");

        assertThat(address.kind()).isEqualTo(Address.Kind.ONE);
        assertThat(address.tls()).isTrue();
        assertThat(address.hosts()).containsExactly(new HostAndPort("db.example", 7000));
        assertThat(address.user()).isEqualTo("ada");
        assertThat(address.password()).isEqualTo("p@ss+w");
        assertThat(address.database()).isEqualTo(3);
    }

    @Test
    void whatIsLeftOutHasItsDefault() {
        Address address = of("redis://localhost");

        assertThat(address.tls()).isFalse();
        assertThat(address.hosts()).containsExactly(new HostAndPort("localhost", 6379));
        assertThat(address.user()).isNull();
        assertThat(address.password()).isNull();
        assertThat(address.database()).isZero();
        assertThat(of("redis+sentinel://a/m").hosts()).containsExactly(new HostAndPort("a", 26379));
    }

    @Test
    void sentinelsAndTheirMaster() {
        Address address = of("redis+sentinel://:pw@a:1,b:2,[::1]:3/my%20master/4");

        assertThat(address.kind()).isEqualTo(Address.Kind.SENTINEL);
        assertThat(address.hosts())
                .containsExactly(new HostAndPort("a", 1), new HostAndPort("b", 2), new HostAndPort("::1", 3));
        assertThat(address.master()).isEqualTo("my master");
        assertThat(address.database()).isEqualTo(4);
        assertThat(address.password()).isEqualTo("pw");
    }

    @Test
    void membersOfACluster() {
        Address address = of("rediss+cluster://a:1,b:2");

        assertThat(address.kind()).isEqualTo(Address.Kind.CLUSTER);
        assertThat(address.tls()).isTrue();
        assertThat(address.hosts()).isEqualTo(List.of(new HostAndPort("a", 1), new HostAndPort("b", 2)));
    }

    @Test
    void nodesOfAQuorum() {
        Address address = of("redlock+tls://:pw@a:1,b:2,c/5");

        assertThat(address.kind()).isEqualTo(Address.Kind.REDLOCK);
        assertThat(address.tls()).isTrue();
        assertThat(address.hosts())
                .containsExactly(new HostAndPort("a", 1), new HostAndPort("b", 2), new HostAndPort("c", 6379));
        assertThat(address.database()).isEqualTo(5);
        assertThat(of("redlock://a,b,c").tls()).isFalse();
    }

    @Test
    void credentialsApartFromTheUrlWin() {
        Address address =
                Address.of(StoreUri.parse("redis://ada:old@localhost", Map.of(), Credentials.of("grace", "new")));
        assertThat(address.user()).isEqualTo("grace");
        assertThat(address.password()).isEqualTo("new");

        Address passwordOnly =
                Address.of(StoreUri.parse("redis://ada@localhost", Map.of(), Credentials.ofPassword("new")));
        assertThat(passwordOnly.user()).isEqualTo("ada");
        assertThat(passwordOnly.password()).isEqualTo("new");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis:localhost",
                "redis://",
                "redis://a:0",
                "redis://a:70000",
                "redis://a:b",
                "redis://a,b",
                "redis://a/x",
                "redis://a/-1",
                "redis://a?db=1",
                "redis+sentinel://a:1",
                "redis+sentinel://a:1/",
                "redis+cluster://a:1,",
                "redis+cluster://a:1/1",
                "redlock://a:1,b:2",
                "redlock://a:1,b:2,a:1",
                "redlock://a:1,b:2,",
                "redlock://a:1,b:2,c:3/x",
                "redlock:a,b,c",
                "redis://user:SECRET%zz@a",
                "redis://user:SECRET@a:b"
            })
    void malformedUrlIsRefusedInOneSentenceWithoutSecrets(String url) {
        // The name of a parameterized test is part of the output.
        assertThatThrownBy(() -> of(url.replace("SECRET", CANARY)))
                .isInstanceOf(StoreMisconfiguredException.class)
                .satisfies(refused ->
                        assertThat(refused.getMessage()).doesNotContain(CANARY).doesNotContain("\n"));
    }

    @Test
    void userWithoutPasswordIsRefused() {
        assertThatThrownBy(() -> of("redis://ada@localhost"))
                .isInstanceOf(StoreMisconfiguredException.class)
                .hasMessageContaining("HOLDFAST_PASSWORD");
    }

    @Test
    void addressDoesNotShowSecrets() {
        assertThat(of("redis://ada:" + CANARY + "@localhost").toString()).doesNotContain(CANARY);
    }

    private static Address of(String url) {
        return Address.of(StoreUri.parse(url, Map.of(), null));
    }
}
