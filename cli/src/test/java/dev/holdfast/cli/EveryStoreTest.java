package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.etcd.EtcdNode;
import dev.holdfast.rig.mariadb.MariaDb;
import dev.holdfast.rig.mysql.MySql;
import dev.holdfast.rig.postgres.Postgres;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.rig.redis.RedisSettings;
import dev.holdfast.rig.zookeeper.ZooKeeperNode;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every command on every store, each on a real server, with the packaged command line and its own drivers. */
@Tag("processes")
class EveryStoreTest {
    @RegisterExtension
    private static final Rig RIG = new Rig();

    private static final int NODES = 5;

    /** Started when first needed, kept for the class. */
    private static final Map<Store, String> URLS = new EnumMap<>(Store.class);

    @TempDir
    private Path directory;

    private Sandbox sandbox;

    /** Where locks can be. */
    enum Store {
        FILES,
        REDIS,
        REDLOCK,
        POSTGRESQL,
        MARIADB,
        MYSQL,
        ZOOKEEPER,
        ETCD;

        String start() throws InterruptedException {
            return switch (this) {
                case FILES -> "file:" + RIG.directory().resolve("locks");
                case REDIS -> RedisNode.start(RIG).url();
                case REDLOCK ->
                    "redlock://"
                            + RedisNode.startSeveral(RIG, NODES, RedisSettings.defaults()).stream()
                                    .map(node -> "127.0.0.1:" + node.port())
                                    .collect(Collectors.joining(","))
                            + "#fresh=true";
                case POSTGRESQL -> Postgres.given(RIG).jdbcUrlWithCredentials();
                case MARIADB -> MariaDb.given(RIG).jdbcUrlWithCredentials();
                case MYSQL -> MySql.given(RIG).jdbcUrlWithCredentials();
                case ZOOKEEPER -> "zookeeper://" + ZooKeeperNode.start(RIG).address() + "/locks";
                case ETCD -> "etcd://" + EtcdNode.start(RIG).address() + "/locks";
            };
        }
    }

    @BeforeEach
    void open() {
        sandbox = new Sandbox(directory);
    }

    @AfterEach
    void close() {
        sandbox.close();
    }

    @ParameterizedTest
    @EnumSource
    void runLsShowWatchAndEvict(Store store) throws InterruptedException {
        String url = url(store);
        assertThat(Capture.of("show", "--url", url, "jobs/x")).isEqualTo(new Capture(1, "jobs/x  free\n", ""));

        sandbox.set("HOLDFAST_URL", url);
        // On Redlock a holder learns of its eviction when it renews, after a third of the lease.
        Launched run = sandbox.holdfast(
                "run",
                "--lease",
                "6s",
                "--label",
                "nightly",
                "jobs/x",
                "--",
                "sh",
                "-c",
                "echo $$ $HOLDFAST_TOKEN > in; exec sleep 1000");
        String[] in = sandbox.line("in").split(" ", -1);
        long child = Long.parseLong(in[0]);
        String token = in[1];
        String holder = System.getProperty("user.name") + "@\\S+/" + run.pid() + " \\(nightly\\)";

        Launched refused = sandbox.holdfast("run", "--no-wait", "jobs/x", "--", "touch", "never");
        assertThat(refused.exitCode()).isEqualTo(75);
        assertThat(refused.err()).matches("holdfast: did not get 'jobs/x': held by " + holder + " for \\S+\n");
        assertThat(sandbox.path("never")).doesNotExist();
        assertThat(Capture.of("ls", "--url", url, "jobs/").out())
                .containsPattern("jobs/x +" + holder + " +" + token + " +\\S+ +0\n");
        assertThat(Capture.of("ls", "--url", url, "-q", "other/")).isEqualTo(new Capture(0, "", ""));
        assertThat(Capture.of("show", "--url", url, "jobs/x").out())
                .matches("jobs/x  exclusive\n  held by  " + holder + " for \\S+, token " + token + "\\b.*\n");
        assertThat(Capture.of("watch", "--url", url, "--count", "1", "jobs/").out())
                .containsPattern("jobs/x +holds +" + holder + " +" + token);

        assertThat(Capture.of("evict", "--url", url, "--yes", "jobs/x", "--reason", "it hangs"))
                .isEqualTo(new Capture(0, "Evicted the holder of jobs/x.\n", ""));
        assertThat(run.exitCode()).as("it said: %s", run.err()).isEqualTo(76);
        assertThat(run.err())
                .startsWith("holdfast: lost 'jobs/x' while the command ran: ")
                .hasLineCount(1);
        assertThat(Sandbox.isAlive(child)).isFalse();
        assertThat(Capture.of("show", "--url", url, "jobs/x").out())
                .matches("jobs/x  free\n  evicted  \\S+ ago by " + System.getProperty("user.name")
                        + "@\\S+: it hangs\n");

        Launched next = sandbox.holdfast("run", "jobs/x", "--", "sh", "-c", "echo $HOLDFAST_TOKEN");
        assertThat(Long.parseLong(next.output().strip()))
                .as("fences the evicted holder")
                .isGreaterThan(Long.parseLong(token));
    }

    @ParameterizedTest
    @EnumSource(names = {"REDIS", "POSTGRESQL"})
    void stoppedHoldfastLosesItsLeaseButTheCommandIsGoneByThen(Store store) throws InterruptedException {
        sandbox.set("HOLDFAST_URL", url(store));
        Launched run = sandbox.holdfast("run", "--lease", "2s", "x", "--", "sh", "-c", StopTest.STUBBORN);
        String[] child = sandbox.line("child").split(" ", -1);
        long grandchild = Long.parseLong(sandbox.line("grandchild"));
        Launched next = sandbox.holdfast("run", "x", "--", "sh", "-c", StopTest.NEXT);

        Sandbox.signal("STOP", run.pid());

        assertThat(Long.parseLong(next.output().strip()))
                .as("the token of the next, which has seen no command before it")
                .isGreaterThan(Long.parseLong(child[1]));
        assertThat(Sandbox.isStopped(run.pid())).isTrue();
        assertThat(Sandbox.isAlive(Long.parseLong(child[0])) || Sandbox.isAlive(grandchild))
                .isFalse();
        Sandbox.signal("CONT", run.pid());
        assertThat(run.exitCode()).isEqualTo(76);
        assertThat(run.err())
                .startsWith("holdfast: lost 'x' while the command ran: ")
                .hasLineCount(1);
    }

    private static String url(Store store) throws InterruptedException {
        String known = URLS.get(store);
        if (known == null) {
            known = store.start();
            URLS.put(store, known);
        }
        return known;
    }
}
