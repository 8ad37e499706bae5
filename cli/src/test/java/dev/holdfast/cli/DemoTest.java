package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The demonstrations show what they promise, with processes and servers of their own. */
@Tag("processes")
class DemoTest {
    private static final int STOCK = 60;

    /** A demonstration waits for a failover and for processes that it starts, for up to a minute each. */
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private static final List<String> SAFE = List.of(
            "version column",
            "compare-and-set on the stock",
            "SELECT ... FOR UPDATE",
            "Holdfast on files",
            "Holdfast on this database");

    @TempDir
    private Path directory;

    private Sandbox sandbox;

    @BeforeEach
    void open() {
        sandbox = new Sandbox(directory);
        sandbox.set("HOLDFAST_RIG", System.getProperty("java.class.path"));
        sandbox.set("HOLDFAST_JAVA_OPTS", "-Djava.io.tmpdir=" + directory);
    }

    @AfterEach
    void close() {
        sandbox.close();
    }

    @Test
    void withoutASharedLockTheStockIsOversoldAndOnEveryStoreItIsNot() {
        Launched demo = sandbox.holdfast("demo", "oversell", "--rig", "--stock", Integer.toString(STOCK));

        assertThat(demo.exitCode(PATIENCE))
                .as("it said: %s %s", demo.out(), demo.err())
                .isZero();
        String out = demo.out();
        assertThat(out.lines()).allMatch(line -> line.length() <= 80);
        assertThat(out).doesNotContain("\u001b").containsPattern("HOW +SOLD +LEFT +OVERSOLD +ORDERS/S +RETRIES\n");
        for (String naive : List.of("no lock", "in-process lock")) {
            String[] cells = cells(out, naive);
            assertThat(Integer.parseInt(cells[0])).as(naive + ", sold").isGreaterThan(STOCK);
            assertThat(Integer.parseInt(cells[2]))
                    .as(naive + ", oversold")
                    .isEqualTo(Integer.parseInt(cells[0]) - STOCK);
        }
        assertThat(SAFE).allSatisfy(safe -> soldExactly(out, safe));
        assertThat(List.of("Redis", "Redlock (5 nodes)", "PostgreSQL", "MariaDB", "ZooKeeper"))
                .allSatisfy(store -> soldExactly(out, "Holdfast on " + store));
        assertThat(out)
                .as("sold exactly, or the libraries that MySQL needs of the system are missing")
                .containsPattern("Holdfast on MySQL +(" + STOCK + " +0 +0 |.*(libaio|libnuma))");
        assertThat(directory).isDirectoryNotContaining("glob:**/holdfast-demo-*");
    }

    @Test
    void aPausedHolderDamagesUnguardedDataAndIsRefusedByTheGuard() {
        Launched demo = sandbox.holdfast("demo", "pause");

        assertThat(demo.exitCode(PATIENCE))
                .as("it said: %s %s", demo.out(), demo.err())
                .isZero();
        String out = demo.out().replaceAll("\\s+", " ");
        assertThat(demo.out().lines()).allMatch(line -> line.length() <= 80);
        assertThat(out)
                .contains(
                        "The balance is 50, but should be 20",
                        "refused StaleTokenException: token ",
                        "The balance is 70, as B left it",
                        "A knows that it lost: onLost(expired: ",
                        "isHeld() is false, ensureHeld() throws LeaseLostException");
        assertThat(directory).isDirectoryNotContaining("glob:**/holdfast-demo-*");
    }

    @Test
    void firstAttemptsFailOnARealRedisAndHoldfastDoesNot() {
        Launched demo = sandbox.holdfast("demo", "naive");

        assertThat(demo.exitCode(PATIENCE))
                .as("it said: %s %s", demo.out(), demo.err())
                .isZero();
        assertThat(demo.out().lines()).allMatch(line -> line.length() <= 80);
        assertThat(demo.out().replaceAll("\\s+", " "))
                .contains(
                        "Nobody ever gets this lock again.",
                        "A has deleted B's lock.",
                        "The comparison did not help.",
                        "B has the lock too.",
                        "Nothing happened to B's lock",
                        "A's write was refused, and A was told")
                .doesNotContain("did not happen");
    }

    private static void soldExactly(String out, String title) {
        assertThat(cells(out, title)).as(title).startsWith(Integer.toString(STOCK), "0", "0");
    }

    /** The figures of a row: sold, left, oversold, orders a second, retries. */
    private static String[] cells(String out, String title) {
        return out.lines()
                .filter(line -> line.startsWith(title + " "))
                .map(line -> line.substring(title.length()).strip().split(" +", -1))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no row '" + title + "' in " + out));
    }
}
