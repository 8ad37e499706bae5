package dev.holdfast.redis.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.StoreMisconfiguredException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SettingsTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "prefix=",
                "prefix=a{b",
                "prefix=a b",
                "maxConnections=0",
                "maxConnections=many",
                "maxConnections=99999999999",
                "timeout=0",
                "timeout=-1s",
                "timeout=2h",
                "timeout=99999999s",
                "replicas=-1",
                "replicas=1&replicasTimeout=5s",
                "sentinelLogin=maybe",
                "ca=/nonesuch"
            })
    void wrongOptionIsRefusedInOneSentenceThatNamesIt(String option) {
        String scheme = option.startsWith("sentinel") ? "redis+sentinel" : option.startsWith("ca") ? "rediss" : "redis";
        assertThatThrownBy(() -> Holdfast.connect(scheme + "://127.0.0.1:1/0#" + option))
                .isInstanceOf(StoreMisconfiguredException.class)
                .satisfies(refused -> assertThat(refused.getMessage()).doesNotContain("\n"))
                .hasMessageContaining(option.substring(option.lastIndexOf('&') + 1, option.lastIndexOf('=')));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"nodeTimeout=0", "nodeTimeout=soon", "maxLease=2h", "maxLease=1ms", "fresh=yes", "prefix=a b"})
    void wrongOptionOfRedlockIsRefusedInOneSentenceThatNamesIt(String option) {
        assertThatThrownBy(() -> Holdfast.connect("redlock://127.0.0.1:1,127.0.0.1:2,127.0.0.1:3#" + option))
                .isInstanceOf(StoreMisconfiguredException.class)
                .satisfies(refused -> assertThat(refused.getMessage()).doesNotContain("\n"))
                .hasMessageContaining(option.substring(0, option.indexOf('=')));
    }

    @Test
    void optionsOfOneStoreAreNotThoseOfTheOther() {
        assertThatThrownBy(() -> Holdfast.connect("redis://127.0.0.1:1#fresh=true"))
                .isInstanceOf(StoreMisconfiguredException.class)
                .hasMessageContaining("fresh");
        assertThatThrownBy(() -> Holdfast.connect("redlock://a:1,b:2,c:3#replicas=1"))
                .isInstanceOf(StoreMisconfiguredException.class)
                .hasMessageContaining("replicas");
    }

    @Test
    void unknownOptionIsRefusedWithTheKnownOnes() {
        assertThatThrownBy(() -> Holdfast.connect("redis://127.0.0.1:1#colour=blue"))
                .isInstanceOf(StoreMisconfiguredException.class)
                .hasMessageContaining("colour")
                .hasMessageContaining("maxConnections");
    }

    @Test
    void authorityWithoutTlsIsRefused() {
        assertThatThrownBy(() -> Holdfast.connect("redis://127.0.0.1:1#ca=file"))
                .isInstanceOf(StoreMisconfiguredException.class)
                .hasMessageContaining("rediss");
    }
}
