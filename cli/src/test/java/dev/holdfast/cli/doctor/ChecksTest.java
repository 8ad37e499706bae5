package dev.holdfast.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cli.console.Terminal;
import dev.holdfast.redis.wire.Address;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What servers say in states that a real one is hard to bring into. */
class ChecksTest {
    private final Findings findings = new Findings();

    @ParameterizedTest
    @CsvSource({
        "6.0.16, 6.2, true",
        "6.2.0, 6.2, false",
        "7.0.15, 6.2, false",
        "10.1, 6.2, false",
        "3.4.23, 3.4, false",
        "unknown, 6.2, false",
        "99999999999999999999, 6.2, false"
    })
    void versionsAreComparedByNumbers(String version, String than, boolean older) {
        assertThat(Versions.isOlder(version, than)).isEqualTo(older);
    }

    @Test
    void clocksThatAreFarOffOrFarApartAreTold() {
        ClockLook clocks = new ClockLook();
        clocks.look(() -> System.currentTimeMillis() + 60_000, findings.at("a:1"));
        clocks.look(() -> System.currentTimeMillis() - 60_000, findings.at("b:1"));
        clocks.look(System::currentTimeMillis, findings.at("c:1"));
        clocks.compare(findings);

        assertThat(told()).containsExactly("CAUTION clock", "CAUTION clock", "OK clock", "CAUTION clocks-apart");
        assertThat(findings.all().get(0).what()).contains("ahead of ours");
        assertThat(findings.all().get(1).what()).contains("behind ours");
    }

    @Test
    void whatARedisSaysOfItselfIsJudged() {
        new RedisChecks(
                        Address.Kind.ONE,
                        Map.of(
                                "redis_version", "6.0.16",
                                "role", "slave",
                                "connected_slaves", "1",
                                "cluster_enabled", "1",
                                "loading", "1",
                                "aof_last_write_status", "err",
                                "maxmemory", "100",
                                "used_memory", "95"),
                        findings)
                .server();

        assertThat(told())
                .containsExactly(
                        "DANGER version",
                        "DANGER replica",
                        "DANGER replicas",
                        "DANGER cluster",
                        "CAUTION loading",
                        "DANGER disk",
                        "CAUTION memory");
    }

    @Test
    void aValkeyHasAVersionOfItsOwn() {
        new RedisChecks(
                        Address.Kind.CLUSTER,
                        Map.of("redis_version", "7.2.4", "valkey_version", "8.0.1", "cluster_enabled", "1"),
                        findings)
                .server();

        assertThat(told()).containsExactly("OK version");
        assertThat(findings.all().get(0).what()).isEqualTo("Valkey 8.0.1");
    }

    @Test
    void tooFewSentinelsAndAQuorumOfOneAreTold() {
        RedisChecks.sentinel(Map.of("num-other-sentinels", "1", "quorum", "2", "flags", "master"), findings);
        RedisChecks.sentinel(
                Map.of("num-other-sentinels", "2", "quorum", "1", "flags", "master,s_down,o_down"), findings);

        assertThat(told()).containsExactly("DANGER sentinels", "CAUTION quorum", "CAUTION master-down");
    }

    @Test
    void membersOfAClusterAreReadWithTheirHostsAndFaults() {
        List<ClusterMember> members = ClusterMember.parse("""
                aa 10.0.0.1:6379@16379,one.example myself,master - 0 0 1 connected 0-16383
                bb 10.0.0.2:6379@16379 slave,fail aa 0 0 1 disconnected
                cc :0 master,noaddr - 0 0 0 disconnected
                """);

        assertThat(members)
                .extracting(member -> member.place() + " " + member.master() + " " + member.failed())
                .containsExactly("10.0.0.1:6379 true false", "10.0.0.2:6379 false true");
        assertThat(members.get(1).replicates(members.get(0))).isTrue();
    }

    @Test
    void theSameOfSeveralServersIsSaidOnce() {
        for (String server : new String[] {"a:1", "b:1", "c:1", "d:1"}) {
            findings.at(server).ok("eviction", "it is good");
        }
        findings.at("b:1").danger("disk", "it is bad", "mend it");

        assertThat(new Report(null, null, findings.all()).lines(new Terminal(0, false)))
                .containsExactly(
                        "Findings",
                        "  ok       a:1, b:1, c:1 and 1 more: it is good",
                        "  DANGER   b:1: it is bad",
                        "           mend it [disk]");
    }

    private List<String> told() {
        return findings.all().stream()
                .map(each -> each.level() + " " + each.id())
                .toList();
    }
}
