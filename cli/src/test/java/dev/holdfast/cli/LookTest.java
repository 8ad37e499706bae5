package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Looking at locks and evicting them, on a store that this process shares with the commands. */
class LookTest {
    private static final String URL = "memory:look";

    private final Holdfast holder =
            Holdfast.builder().url(URL).clientName("anna@web1/11").build();
    private final Holdfast waiter =
            Holdfast.builder().url(URL).clientName("bob@web2/22").build();

    @AfterEach
    void close() {
        waiter.close();
        holder.close();
    }

    @Test
    void lsShowsHoldersInARow() throws InterruptedException {
        long token = lock("orders/1", "rsync").token();
        lock("orders/2", "");
        lock("other", "");

        Capture ls = Capture.of("ls", "--url", URL, "orders/");

        assertThat(ls.code()).isZero();
        assertThat(ls.out().lines()).hasSize(3).first().asString().matches("NAME +HOLDER +TOKEN +HELD +WAITING");
        assertThat(ls.out()).containsPattern("orders/1 +anna@web1/11 \\(rsync\\) +" + token + " +0s +0\n");
        assertThat(ls.out()).doesNotContain("other").doesNotContain("\u001b");
        assertThat(Capture.of("ls", "--url", URL, "-q").out()).isEqualTo("orders/1\norders/2\nother\n");
    }

    @Test
    void lsOfNothingPrintsNothing() {
        assertThat(Capture.of("ls", "--url", URL)).isEqualTo(new Capture(0, "", ""));
        assertThat(Capture.of("ls", "--url", URL, "--json")).isEqualTo(new Capture(0, "[]\n", ""));
    }

    @Test
    void jsonHasTokensAsStrings() throws InterruptedException {
        long token = lock("orders/1", "say \"hi\"").token();
        CompletableFuture<Lease> waiting = waitFor("orders/1");

        String expected = "\\{\"name\":\"orders/1\",\"kind\":\"exclusive\",\"capacity\":1,"
                + "\"holders\":\\[\\{\"client\":\"anna@web1/11\",\"label\":\"say \\\\\"hi\\\\\"\",\"units\":1,\"token\":\""
                + token
                + "\",\"heldForMillis\":\\d+,\"remainingMillis\":\\d+}],"
                + "\"waiters\":\\[\\{\"client\":\"bob@web2/22\",\"label\":\"\",\"units\":1,\"waitingForMillis\":\\d+}],"
                + "\"lastEviction\":null}";
        assertThat(Capture.of("ls", "--url", URL, "--json").out()).matches("\\[" + expected + "]\n");
        assertThat(Capture.of("show", "--url", URL, "--json", "orders/1").out()).matches(expected + "\n");
        assertThat(Capture.of("watch", "--url", URL, "--json", "--count", "2", "--interval", "100ms")
                        .out())
                .matches("\\[" + expected + "]\n\\[" + expected + "]\n");
        waiting.cancel(true);
    }

    @Test
    void showTellsWhoHoldsAndWhoWaits() throws InterruptedException {
        long token = lock("orders/1", "rsync").token();
        CompletableFuture<Lease> waiting = waitFor("orders/1");

        Capture show = Capture.of("show", "--url", URL, "orders/1");

        assertThat(show.code()).isZero();
        assertThat(show.out())
                .matches("orders/1  exclusive\n"
                        + "  held by  anna@web1/11 \\(rsync\\) for \\ds, token " + token
                        + ", \\d+s left without renewal\n"
                        + "  waits 1  bob@web2/22 for \\ds\n");
        waiting.cancel(true);
    }

    @Test
    void sharedLocksShowTheirUnits() throws InterruptedException {
        Lease printers = holder.semaphore("printers", 3).permits(2).acquire();
        Lease catalog = holder.readWriteLock("catalog").readLock().acquire();

        assertThat(Capture.of("show", "--url", URL, "printers").out())
                .contains("printers  semaphore of 3\n", ", 2 permits, token ");
        assertThat(Capture.of("show", "--url", URL, "catalog").out())
                .contains("catalog  read/write\n", ", reading, token ");
        assertThat(printers.isHeld() && catalog.isHeld()).isTrue();
    }

    @Test
    void aFreeNameIsFreeWithExitCodeOne() {
        assertThat(Capture.of("show", "--url", URL, "nobody")).isEqualTo(new Capture(1, "nobody  free\n", ""));
        assertThat(Capture.of("show", "--url", URL, "--json", "nobody"))
                .isEqualTo(new Capture(
                        1,
                        "{\"name\":\"nobody\",\"kind\":null,\"capacity\":null,\"holders\":[],\"waiters\":[],"
                                + "\"lastEviction\":null}\n",
                        ""));
    }

    @Test
    void evictTakesTheLockAwayAndRecordsWhoAndWhy() throws InterruptedException {
        Lease lease = lock("orders/1", "");

        assertThat(Capture.of("evict", "--yes", "--url", URL, "orders/1", "--reason", "hangs \u001b[31m"))
                .isEqualTo(new Capture(0, "Evicted the holder of orders/1.\n", ""));
        Awaitility.await().until(() -> !lease.isHeld());
        assertThat(Capture.of("show", "--url", URL, "orders/1").out())
                .matches("orders/1  free\n  evicted  \\ds ago by " + System.getProperty("user.name")
                        + "@\\S+: hangs \\\\u001B\\[31m\n");
        assertThat(Capture.of("evict", "-y", "--url", URL, "orders/1", "--reason", "again"))
                .isEqualTo(new Capture(1, "Nobody holds orders/1.\n", ""));
        assertThat(Capture.of("evict", "-y", "--url", URL, "orders/1", "--reason", "again", "--json"))
                .isEqualTo(new Capture(1, "{\"name\":\"orders/1\",\"evicted\":0}\n", ""));
    }

    @Test
    void evictWithATokenHitsOnlyThatHolder() throws InterruptedException {
        Lease first = lock("orders/1", "");
        first.close();
        Lease second = lock("orders/1", "");
        String old = Long.toString(first.token());

        assertThat(Capture.of("evict", "-y", "--url", URL, "orders/1", "--reason", "hung", "--token", old))
                .isEqualTo(new Capture(1, "Nobody holds orders/1 with token " + old + ".\n", ""));
        assertThat(second.isHeld()).isTrue();
        assertThat(Capture.of(
                        "evict", "-y", "--url", URL, "orders/1", "--reason", "hangs", "--token", "" + second.token()))
                .isEqualTo(new Capture(0, "Evicted the holder of orders/1.\n", ""));
        Awaitility.await().until(() -> !second.isHeld());
    }

    @Test
    void watchShowsHoldersAndWaitersInPlainText() throws InterruptedException {
        long token = lock("orders/1", "rsync").token();
        CompletableFuture<Lease> waiting = waitFor("orders/1");

        Capture watch = Capture.of("watch", "--url", URL, "--count", "2", "--interval", "100ms");

        String frame = "\\d\\d:\\d\\d:\\d\\d  1 lock, 1 waiter\n"
                + "NAME +STATE +WHO +TOKEN +FOR\n"
                + "orders/1 +holds +anna@web1/11 \\(rsync\\) +" + token + " +\\ds\n"
                + "orders/1 +waits 1 +bob@web2/22 +- +\\ds\n";
        assertThat(watch.out()).matches(frame + frame);
        assertThat(watch.code()).isZero();
        waiting.cancel(true);
    }

    private Lease lock(String name, String label) throws InterruptedException {
        return holder.lock(name, LockOptions.defaults().withLabel(label)).acquire();
    }

    private CompletableFuture<Lease> waitFor(String name) {
        CompletableFuture<Lease> waiting = waiter.lock(name).acquireAsync();
        Awaitility.await()
                .until(() -> holder.inspect(name).orElseThrow().waiters().size() == 1);
        return waiting;
    }
}
