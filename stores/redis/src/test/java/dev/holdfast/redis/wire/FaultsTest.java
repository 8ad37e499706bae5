package dev.holdfast.redis.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.redis.Secrets;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which words of a server mean that trying again cannot help, and which that it may. */
final class FaultsTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "NOAUTH Authentication required.",
                "WRONGPASS invalid username-password pair or user is disabled.",
                "NOPERM this user has no permissions to run the 'evalsha' command",
                "NOPERM User locks has no permissions to run the 'set' command script: 7a, on @user_script:12.",
                "ERR DB index is out of range",
                "ERR SELECT is not allowed in cluster mode",
                "ERR This instance has cluster support disabled",
                "CROSSSLOT Keys in request don't hash to the same slot",
                "WRONGTYPE Operation against a key holding the wrong kind of value",
                "ERR unknown command 'EVALSHA', with args beginning with: 'x'",
                "ERR Unknown Redis command called from script script: 7a, on @user_script:1.",
                "ERR syntax error script: 7a, on @user_script:3."
            })
    void whatCannotWorkIsAMisconfiguration(String said) {
        assertThat(Faults.of("acquire", "x", new ServerRefusal(said))).isInstanceOf(StoreMisconfiguredException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "LOADING Redis is loading the dataset in memory",
                "READONLY You can't write against a read only replica.",
                "ERR Error running script (call to f_7a): @user_script:1: @user_script: 1: -READONLY You can't write",
                "MASTERDOWN Link with MASTER is down",
                "CLUSTERDOWN The cluster is down",
                "TRYAGAIN Multiple keys request during rehashing of slot",
                "MOVED 3999 127.0.0.1:6381",
                "BUSY Redis is busy running a script.",
                "OOM command not allowed when used memory > 'maxmemory'.",
                "NOREPLICAS Not enough good replicas to write.",
                "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.",
                "ERR max number of clients reached",
                "ERR something that nobody has heard of"
            })
    void whatMayPassIsUnavailability(String said) {
        assertThat(Faults.of("acquire", "x", new ServerRefusal(said)))
                .isInstanceOfSatisfying(StoreUnavailableException.class, unavailable -> {
                    assertThat(unavailable.operation()).isEqualTo("acquire");
                    assertThat(unavailable.lockName()).isEqualTo("x");
                });
    }

    @Test
    void demotedMasterIsRecognised() {
        assertThat(Faults.isFromReplica(new ServerRefusal("READONLY You can't write")))
                .isTrue();
        assertThat(Faults.isFromReplica(new ServerRefusal(
                        "ERR Error running script (call to f_7a): @user_script:1: -READONLY You can't write")))
                .isTrue();
        assertThat(Faults.isFromReplica(new ServerRefusal("LOADING Redis is loading")))
                .isFalse();
    }

    @Test
    void passwordThatTheServerQuotesIsNotPassedOn() {
        RuntimeException fault = Faults.of(
                "ping",
                "Redis",
                new ServerRefusal(
                        "ERR unknown command 'AUTH', with args beginning with: 'ada' '" + Secrets.CANARY + "' "));
        StringWriter all = new StringWriter();
        fault.printStackTrace(new PrintWriter(all));

        assertThat(all.toString()).contains("AUTH").doesNotContain(Secrets.CANARY);
    }
}
