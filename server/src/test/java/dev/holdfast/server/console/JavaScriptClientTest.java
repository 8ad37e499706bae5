package dev.holdfast.server.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The JavaScript client on a page in a real browser. Its tests with Node are in {@code ClientsTest}. The server itself serves no pages
 * but the console, so this page comes from behind a proxy that the server is behind too, as docs/clients.md says.
 */
class JavaScriptClientTest {
    private static final Path CLIENT = Path.of("../clients/javascript/holdfast.mjs");
    private static final String PAGE = """
            <!doctype html>
            <title>A page with a lock</title>
            <script type="module">
              window.client = await import('/holdfast.mjs');
              window.does = async (action) => {
                window.outcome = '';
                try {
                  window.outcome = String(await action());
                } catch (failure) {
                  window.outcome = failure.name;
                }
              };
            </script>
            """;

    private static Browser browser;
    private Scene scene;
    private SharedOrigin origin;

    @BeforeAll
    static void startBrowser() {
        browser = Browser.start();
    }

    @AfterAll
    static void stopBrowser() {
        if (browser != null) {
            browser.close();
        }
    }

    @BeforeEach
    void begin() throws IOException {
        scene = new Scene();
        origin = new SharedOrigin(scene.uri(), Map.of("/", PAGE, "/holdfast.mjs", Files.readString(CLIENT)));
    }

    @AfterEach
    void end() throws IOException {
        browser.go("about:blank");
        origin.close();
        scene.close();
    }

    private void open(String serverOfTheClient) {
        browser.open(origin.address() + "/");
        browser.await("the module", () -> browser.is("window.does !== undefined"));
        browser.script("window.locks = new window.client.Holdfast(arguments[0])", serverOfTheClient);
    }

    /** What an asynchronous expression comes to, or the name of its error. */
    private String outcome(String expression) {
        browser.script("window.does(async () => " + expression + ")");
        browser.await(expression, () -> browser.is("window.outcome !== ''"));
        return String.valueOf(browser.script("return window.outcome"));
    }

    @Test
    void aPageOfTheSameOriginTakesRenewsLosesAndReleasesLeases() {
        open(origin.address());
        try (Holdfast other = scene.client("other")) {
            assertThat(outcome(
                            "(window.lease = await locks.acquire('orders/1', { lease: 2000, label: 'a tab' })).token"))
                    .matches("[0-9]{5,19}");
            assertThat(other.inspect("orders/1").orElseThrow().holders().get(0).label())
                    .isEqualTo("a tab");
            assertThat(outcome("locks.acquire('orders/1')")).isEqualTo("Contended");
            browser.script("window.rises = 0; let last = 1e9; setInterval(() => { const now = window.lease.remaining;"
                    + " if (now > last + 300) window.rises++; last = now; }, 50)");
            browser.await("four renewals, which are longer than the lease", () -> browser.number("window.rises") >= 4);
            assertThat(browser.is("window.lease.isHeld")).isTrue();
            assertThat(outcome("window.lease.release()")).isEqualTo("true");
            Optional<Lease> next = other.lock("orders/1").tryAcquire();
            assertThat(next).isPresent();
            next.get().close();

            assertThat(outcome("(window.lease = await locks.acquire('orders/1', { lease: 2000,"
                            + " onLost: (reason) => { window.lost = reason; } })).isHeld"))
                    .isEqualTo("true");
            other.evict("orders/1", "a test");
            browser.await("the loss", () -> browser.is("window.lost !== undefined"));
            assertThat(browser.script("return window.lost")).isEqualTo("evicted");
            assertThat(browser.is("window.lease.signal.aborted && !window.lease.isHeld"))
                    .isTrue();
        }
    }

    /** The server has no CORS, so a browser never sends such a request: the client cannot tell, and nothing is locked. */
    @Test
    void aPageOfAnotherOriginLocksNothing() {
        open(scene.uri().toString());
        assertThat(outcome("locks.acquire('orders/1')")).isEqualTo("CannotTell");
        assertThat(browser.complaints()).anyMatch(complaint -> complaint.contains("CORS"));
        assertThat(scene.take("other", "orders/1", "").isHeld()).isTrue();
    }
}
