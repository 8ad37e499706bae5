package dev.holdfast.server.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.LossReason;
import dev.holdfast.StoreTraits;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

/** What somebody sees and does in the console, in a real browser, with a real server. */
class ConsoleTest {
    private static final String LIVE = ".state.live";

    private static Browser browser;
    private Scene scene;

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
    void begin() {
        scene = new Scene();
    }

    @AfterEach
    void end() {
        browser.go("about:blank");
        scene.close();
    }

    @Test
    void listShowsHolderWaitersTokenAndLease() {
        Lease lease = scene.take("shop-1", "orders/42", "nightly import");
        waitFor("shop-2", "orders/42");
        browser.open(scene.address());
        browser.awaitText(".rows .cell.waiters", "1");
        assertThat(browser.text(".rows .row"))
                .contains("orders/42", "shop-1", "nightly import", Long.toString(lease.token()), " left");
        assertThat(browser.text("#shown")).isEqualTo("1 of 1 lock");
        double share = ((Number)
                        browser.script("return new DOMMatrix(getComputedStyle(document.querySelector('.rows .fill'))"
                                + ".transform).a"))
                .doubleValue();
        assertThat(share).isBetween(0.0, 1.0);
    }

    @Test
    void changesAppearWithoutAReload() {
        browser.open(scene.address());
        browser.awaitText(".empty", "Nobody holds a lock");
        Lease lease = scene.take("shop-1", "orders/1", "");
        browser.awaitText(".rows", "orders/1");
        lease.close();
        browser.awaitNoText(".rows", "orders/1");
        browser.awaitText(".empty", "Nobody holds a lock");
    }

    @Test
    void aRenewedLeaseFillsItsBarAgain() {
        LockOptions options = LockOptions.defaults().withLeaseTime(Duration.ofSeconds(4));
        Lease lease = scene.keep(scene.client("shop-1").lock("orders/1", options));
        browser.open(scene.address());
        browser.find(".rows .row");
        browser.script("window.most = 0; window.rises = 0; window.last = 9; setInterval(() => {"
                + "const now = parseFloat(/scaleX\\(([0-9.]+)/.exec(document.querySelector('.rows .fill').style.transform)[1]);"
                + "if (now > window.last + 0.05) window.rises++; window.last = now; }, 50)");
        browser.await("the bar to shrink and grow twice", () -> browser.number("window.rises") >= 2);
        assertThat(lease.isHeld()).isTrue();
    }

    @Test
    void sortsByEveryColumn() {
        scene.take("b-client", "one", "");
        browser.open(scene.address());
        browser.awaitText(".rows", "one");
        scene.take("c-client", "two", "");
        browser.awaitText(".rows", "two");
        scene.take("a-client", "three", "");
        waitFor("w-1", "two");
        waitFor("w-2", "two");
        waitFor("w-3", "three");
        browser.await(
                "all waiters",
                () -> browser.text(".rows .cell.waiters").replaceAll("\\s", "").equals("12"));
        assertOrder("name", "two", "three", "one"); // ascending at first
        assertOrder("name", "one", "three", "two");
        assertOrder("holder", "three", "one", "two");
        assertOrder("holder", "two", "one", "three");
        assertOrder("waiters", "two", "three", "one");
        assertOrder("waiters", "one", "three", "two");
        assertOrder("token", "one", "two", "three");
        assertOrder("held_for", "one", "two", "three");
    }

    private void assertOrder(String column, String... names) {
        browser.find(".head .cell." + column + " button").click();
        browser.await(
                "the order by " + column,
                () -> browser.text(".rows .cell.name").lines().toList().equals(List.of(names)));
    }

    @Test
    void aPrefixInTheAddressLimitsTheList() {
        scene.take("shop-1", "orders/1", "");
        scene.take("shop-1", "billing/1", "");
        browser.open(scene.address() + "?prefix=orders%2F");
        browser.awaitText("#shown", "1 of 1 lock");
        assertThat(browser.text(".notes")).contains("Only names that begin with orders/");
    }

    @Test
    void aLockHasAPageWithItsLineAndItsPast() throws ExecutionException, InterruptedException, TimeoutException {
        Lease first = scene.take("shop-1", "orders/42", "import");
        List<CompletableFuture<Lease>> line = List.of(waitFor("shop-2", "orders/42"), waitFor("shop-3", "orders/42"));
        browser.open(scene.address("orders/42"));
        browser.awaitText("#waiters", "shop-3");
        assertThat(browser.text("h1")).isEqualTo("orders/42");
        assertThat(browser.title()).contains("orders/42");
        assertThat(browser.text("#holders")).contains("shop-1", "import", Long.toString(first.token()));
        assertThat(browser.text("#waiters")
                        .lines()
                        .filter(text -> text.startsWith("shop"))
                        .map(text -> text.substring(0, 6)))
                .containsExactly("shop-2", "shop-3");

        first.close();
        Lease second = line.get(0).get(60, TimeUnit.SECONDS);
        browser.awaitText("#holders", "shop-2");
        browser.awaitText("#events", "released by shop-1");
        browser.awaitText("#events", "granted to shop-2, token " + second.token());
        browser.await(
                "two grants in the picture",
                () -> browser.all(".timeline .bar-of").size() == 2);
        assertThat(browser.text("#waiting")).isEqualTo("1");
    }

    @Test
    void aLocksPastIsToldThoughTheConsoleIsOpenedLater() {
        Lease lease = scene.take("shop-1", "orders/42", "import");
        browser.await("the grant to be seen", () -> past("orders%2F42").contains("\"shop-1\""));
        lease.close();
        browser.await("its end to be seen", () -> past("orders%2F42").contains("\"released\""));
        browser.open(scene.address("orders/42"));
        browser.awaitText("#events", "released by shop-1, token " + lease.token());
        browser.awaitText("#events", "granted to shop-1");
        browser.awaitText(".legend", "Known since");
        assertThat(browser.all(".timeline .bar-of")).hasSize(1);

        // Too short for the looks of the server, which had it in its own hands.
        String answer = scene.send("POST", "/v1/locks/orders%2F42/leases", "{}");
        String id = answer.replaceAll(".*\"leaseId\":\"([^\"]+)\".*", "$1");
        scene.send("DELETE", "/v1/leases/" + id, "");
        browser.awaitText("#events", "released by http@localhost");
        assertThat(browser.text("#holders")).contains("Nobody holds");
        assertThat(browser.complaints()).isEmpty();
    }

    private String past(String encodedName) {
        return scene.send("GET", "/v1/history?name=" + encodedName, "");
    }

    @Test
    void anEvictionAsksForAReasonAndTellsTheHolder() throws ExecutionException, InterruptedException, TimeoutException {
        Lease holder = scene.take("shop-1", "orders/42", "");
        CompletableFuture<LossReason> told = new CompletableFuture<>();
        holder.onLost(told::complete);
        CompletableFuture<Lease> next = waitFor("shop-2", "orders/42");
        browser.open(scene.address("orders/42"));
        browser.find(".holder-card .danger").click();
        assertThat(browser.find("dialog").getText())
                .contains("orders/42", "shop-1", Long.toString(holder.token()), "fencing token");
        assertThat(browser.focused().getAttribute("id")).isEqualTo("reason");
        browser.find("#evict-confirm").click();
        browser.awaitText("#evict-alarm", "Say why");
        assertThat(holder.isHeld()).isTrue();

        browser.find("#reason").sendKeys("it hangs, <b>ask me</b>");
        browser.find("#evict-confirm").click();
        browser.awaitText("#news", "Evicted: 1 holder.");
        assertThat(told.get(60, TimeUnit.SECONDS)).isEqualTo(LossReason.EVICTED);
        Lease successor = next.get(60, TimeUnit.SECONDS);
        assertThat(successor.token()).isGreaterThan(holder.token());
        browser.awaitText("#holders", "shop-2");
        browser.awaitText("#last-eviction", "it hangs, <b>ask me</b>");
        browser.awaitText("#events", "lost by shop-1");
        browser.awaitText("#losses-count", "1");
        browser.find("nav a[data-page=losses]").click();
        browser.awaitText("#losses", "orders/42");
        assertThat(browser.text("#losses"))
                .contains("shop-1", "it hangs, <b>ask me</b>", Long.toString(holder.token()));
        assertThat(browser.has("#losses b")).isFalse();
    }

    @Test
    void anEvictionCanBeLeftAndComesTooLateWithoutHarm() {
        Lease lease = scene.take("shop-1", "orders/42", "");
        browser.open(scene.address("orders/42"));
        browser.find(".holder-card .danger").click();
        browser.find("#reason").sendKeys("a mistake");
        browser.press(Keys.ESCAPE);
        browser.await("the dialogue to be gone", () -> !browser.has("dialog"));
        assertThat(browser.focused().getText()).isEqualTo("Evict…");
        assertThat(lease.isHeld()).isTrue();

        browser.press(Keys.ENTER);
        browser.find("#reason").sendKeys("too late");
        lease.close();
        browser.awaitText("#evict-alarm", "gone meanwhile");
        assertThat(browser.all("#evict-confirm")).noneMatch(WebElement::isDisplayed);
    }

    @Test
    void readersAndPermitsAreShownAsSuch() {
        LockOptions options = LockOptions.defaults();
        scene.keep(scene.client("reader-1").readWriteLock("catalog", options).readLock());
        scene.keep(scene.client("reader-2").readWriteLock("catalog", options).readLock());
        scene.client("writer").readWriteLock("catalog", options).writeLock().tryAcquireAsync(Duration.ofMinutes(5));
        scene.keep(scene.client("uploader").semaphore("uploads", 5).permits(3));
        browser.open(scene.address("catalog"));
        browser.awaitText("#waiters", "writer");
        assertThat(browser.text("#waiters")).contains("writer");
        assertThat(browser.text("#holders").lines().filter(line -> line.endsWith("reader")))
                .hasSize(2);
        browser.go(scene.address("uploads"));
        browser.awaitText(".about", "3 of 5 permits");
        browser.awaitText("#holders", "3 permits");
    }

    @Test
    void aServerThatIsGoneIsSaidAndFoundAgain() {
        scene.take("shop-1", "orders/1", "");
        browser.open(scene.address());
        browser.find(LIVE);
        browser.awaitText(".rows", "orders/1");
        scene.stopServer();
        browser.find("#stale");
        assertThat(browser.text("#stale")).contains("What you see is from");
        scene.take("shop-2", "orders/2", "");
        scene.startServerAgain();
        browser.find(LIVE);
        browser.awaitText(".rows", "orders/2");
        assertThat(browser.has("#stale")).isFalse();
    }

    @Test
    void theStoresPromisesAreInPlainWords() {
        browser.open(scene.address() + "#/store");
        browser.find("#promises li");
        assertThat(browser.text("#promises"))
                .contains(
                        "First come, first served",
                        "Only threads of one process exclude each other.",
                        "Promised",
                        "Not promised");
        assertThat(browser.all("#promises li[data-code]")).hasSize(StoreTraits.Promise.values().length);
        Pattern code = Pattern.compile("[A-Z]+_[A-Z]+");
        assertThat(code.matcher(browser.text("#promises")).find()).isFalse();
    }

    @Test
    void theFirstPaintNeedsLittleAndNothingFromElsewhere() {
        browser.open(scene.address());
        browser.find(LIVE);
        assertThat(browser.number("performance.getEntriesByType('resource').filter(e => !e.name.includes('/v1/'))"
                        + ".reduce((sum, e) => sum + e.decodedBodySize, 0)"))
                .isBetween(10_000L, 150_000L);
        assertThat(browser.is(
                        "performance.getEntriesByType('resource').every(e => e.name.startsWith(location.origin))"))
                .isTrue();
        assertThat(browser.complaints()).isEmpty();
    }

    /** Waits in line; the lines of several are in the order of these calls. */
    private CompletableFuture<Lease> waitFor(String client, String name) {
        Holdfast waiter = scene.client(client);
        CompletableFuture<Lease> lease =
                waiter.lock(name).tryAcquireAsync(Duration.ofMinutes(5)).thenApply(got -> got.orElseThrow());
        browser.await(
                client + " in line",
                () -> waiter.inspect(name).stream()
                        .flatMap(view -> view.waiters().stream())
                        .map(each -> each.clientName())
                        .collect(Collectors.toSet())
                        .contains(client));
        return lease;
    }
}
