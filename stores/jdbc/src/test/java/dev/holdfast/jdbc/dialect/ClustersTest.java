package dev.holdfast.jdbc.dialect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.jdbc.DialectServers;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What servers say of themselves, taken from their documentation; one server of each kind is not refused. */
final class ClustersTest {
    private static final DialectServers SERVERS = new DialectServers();

    @Test
    void clustersAndProxiesAreRecognised() {
        assertRefused("CockroachDB", Map.of("version", "CockroachDB CCL v23.1.11 (x86_64-pc-linux-gnu)"));
        assertRefused("YugabyteDB", Map.of("version", "PostgreSQL 11.2-YB-2.18.0.0-b0 on x86_64-pc-linux-gnu"));
        assertRefused("TiDB", Map.of("version", "8.0.11-TiDB-v7.5.0"));
        assertRefused("TiDB", Map.of("version", "5.7.25-TiDB-v6.1.0"));
        assertRefused("Vitess", Map.of("version", "8.0.30-Vitess"));
        assertRefused("Galera", Map.of("wsrep_on", "ON", "wsrep_provider", "/usr/lib/galera/libgalera_smm.so"));
        assertRefused(
                "group replication",
                Map.of(
                        "group_replication_single_primary_mode",
                        "OFF",
                        "group_replication_group_name",
                        "aaaaaaaa-bbbb"));
        assertRefused("MaxScale", Map.of("version", "5.5.5-10.2.12 2.3.4-maxscale"));
        assertRefused("ProxySQL", Map.of("version", "8.0.27", "version_comment", "(ProxySQL)"));
        assertRefused("Pgpool", Map.of("version", "PostgreSQL 16.1", "pool_version", "4.5.0 (hotooriboshi)"));
    }

    @Test
    void oneServerIsNotRefused() {
        assertThat(Clusters.reasonAgainst(Map.of("version", "PostgreSQL 18.0 on x86_64")))
                .isEmpty();
        assertThat(Clusters.reasonAgainst(Map.of("wsrep_on", "ON", "wsrep_provider", "none")))
                .isEmpty();
        assertThat(Clusters.reasonAgainst(Map.of("wsrep_on", "OFF", "wsrep_provider", "/usr/lib/libgalera_smm.so")))
                .isEmpty();
        assertThat(Clusters.reasonAgainst(Map.of(
                        "group_replication_single_primary_mode",
                        "ON",
                        "group_replication_group_name",
                        "aaaaaaaa-bbbb")))
                .isEmpty();
    }

    private static void assertRefused(String name, Map<String, String> says) {
        assertThat(Clusters.reasonAgainst(says))
                .hasValueSatisfying(reason -> assertThat(reason).contains(name));
    }

    @ParameterizedTest
    @EnumSource
    void everyDatabaseAloneIsTaken(Dialect dialect) throws SQLException, InterruptedException {
        try (Connection connection = SERVERS.connect(dialect)) {
            Clusters.refuse(dialect, connection);
        }
        try (Holdfast locks = Holdfast.connect(SERVERS.url(dialect) + "#cluster=allow")) {
            locks.ping();
        }
    }
}
