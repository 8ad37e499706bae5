package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.LockView;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code holdfast top} on a real terminal: what is seen is what {@code tmux} has on its screen. */
@Tag("processes")
class TopTest {
    private static final String RUN_AND_LOOK =
            "clear; $HOLDFAST top; echo \"co\"de $?; stty -a | grep -o -e '-*icanon' -e '-*isig' -e '-*echo ' | xargs";
    private static final String TERMINAL_IS_AS_BEFORE = "isig icanon echo";

    @TempDir
    private Path directory;

    private Sandbox sandbox;
    private Tmux terminal;

    @BeforeEach
    void open() {
        Assumptions.assumeFalse(Tmux.isMissing(), "there is no 'tmux' on this machine, so 'top' was not looked at");
        sandbox = new Sandbox(directory);
    }

    @AfterEach
    void close() {
        if (terminal != null) {
            terminal.close();
        }
        if (sandbox != null) {
            sandbox.close();
        }
    }

    @Test
    void showsFiltersResizesShowsOneLockAndEvicts() throws InterruptedException {
        String url = "file:" + directory.resolve("locks");
        try (Holdfast anna = Holdfast.builder().url(url).clientName("anna@web1").build();
                Holdfast bob =
                        Holdfast.builder().url(url).clientName("bob@web2").build()) {
            Lease evicted = anna.lock("orders/1", LockOptions.defaults().withLabel("rsync"))
                    .acquire();
            Lease kept = anna.lock("other").acquire();
            CompletableFuture<Lease> next = bob.lock("orders/1").acquireAsync();
            Sandbox.await().until(() -> view(anna, "orders/1").waiters().size() == 1);
            String token = Long.toString(view(anna, "orders/1").holders().get(0).token());

            terminal = sandbox.tmux().type(RUN_AND_LOOK);
            terminal.expect("2 locks, 1 waiter")
                    .expect("> orders/1")
                    .expect("anna@web1 (rsync)")
                    .expect(token);
            assertThat(terminal.screen().lines().filter(line -> line.startsWith("q quit")))
                    .hasSize(1);
            terminal.key("w")
                    .expect("WAIT+")
                    .key("/")
                    .text("oth")
                    .expect("filter: oth_   1 of 2")
                    .expect("> other");
            assertThat(terminal.screen()).doesNotContain("orders/1");
            terminal.key("Escape").expectNo("filter:").expect("orders/1");

            terminal.resize(50, 10).expectNo("KIND").expect(token).resize(30, 5).expectNo("orders/1");
            terminal.resize(80, 24).expect("KIND").key("Home", "Enter");
            terminal.expect("HOLDERS: 1").expect("WAITERS: 1").expect("1  bob@web2");

            terminal.key("e")
                    .expect("Evict anna@web1 (rsync) from orders/1")
                    .text("it hangs")
                    .key("Enter");
            terminal.expect("Take orders/1 away from anna@web1 (rsync)?")
                    .text("no")
                    .key("Enter");
            terminal.expect("Nobody was evicted.");
            assertThat(view(anna, "orders/1").holders().get(0).clientName()).isEqualTo("anna@web1");
            terminal.key("e").expect("Reason:").text("it hangs").key("Enter").expect("Type yes");
            terminal.text("yes").key("Enter").expect("Evicted the holder of orders/1.");
            terminal.expect("WAITERS: 0").expect("bob@web2");
            assertThat(view(bob, "orders/1").lastEviction().orElseThrow().reason())
                    .isEqualTo("it hangs");

            assertThat(evicted.isHeld()).isFalse();
            assertThat(kept.isHeld()).isTrue();
            assertThat(next.join().isHeld()).isTrue();
            terminal.key("q").expect("code 0").expect(TERMINAL_IS_AS_BEFORE);
        }
    }

    @Test
    void ctrlCAndAnyUsualSignalGiveTheTerminalBack() {
        terminal = sandbox.tmux().type(RUN_AND_LOOK).expect("No lock is held.");
        terminal.key("C-z").key("C-c").expect("code 130").expect(TERMINAL_IS_AS_BEFORE);
        Set<Long> before = tops();
        terminal.type(RUN_AND_LOOK).expect("No lock is held.");
        tops().stream().filter(pid -> !before.contains(pid)).forEach(pid -> Sandbox.signal("TERM", pid));
        terminal.expect("code 143").expect(TERMINAL_IS_AS_BEFORE);
        assertThat(terminal.screen()).doesNotContain("No lock is held.");
    }

    @Test
    void aStoreThatDoesNotAnswerIsALineAndKeysStillWork() {
        Sandbox.LockServer server = sandbox.lockServer();
        sandbox.set("HOLDFAST_URL", server.url());
        terminal = sandbox.tmux().type(RUN_AND_LOOK).expect("No lock is held.");
        server.process().destroyForcibly();
        terminal.expect("STORE: ")
                .key("/")
                .text("x")
                .expect("x_")
                .key("Escape")
                .expectNo("filter:")
                .key("q");
        terminal.expect("code 0").expect(TERMINAL_IS_AS_BEFORE);
    }

    @Test
    void whatIsNoTerminalIsRefused() {
        Launched top = sandbox.holdfast("top");
        assertThat(top.exitCode()).isEqualTo(64);
        assertThat(top.err()).contains("'top' needs a terminal").hasLineCount(1);
        assertThat(top.out()).isEmpty();
        terminal = sandbox.tmux();
        terminal.type("TERM=dumb $HOLDFAST top; echo \"co\"de $?").expect("code 64");
        terminal.type("clear; $HOLDFAST top | cat; echo \"co\"de ${PIPESTATUS[0]}")
                .expect("code 64");
    }

    private static LockView view(Holdfast client, String name) {
        return client.inspect(name).orElseThrow();
    }

    /** {@return the processes of this test that run {@code top}} */
    private Set<Long> tops() {
        return ProcessHandle.allProcesses()
                .filter(process -> process.info().commandLine().orElse("").endsWith("dev.holdfast.cli.Main top"))
                .filter(this::isOurs)
                .map(ProcessHandle::pid)
                .collect(Collectors.toSet());
    }

    private boolean isOurs(ProcessHandle process) {
        try {
            return Path.of("/proc/" + process.pid() + "/cwd").toRealPath().equals(directory.toRealPath());
        } catch (IOException gone) {
            return false;
        }
    }
}
