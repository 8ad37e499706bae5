package dev.holdfast.server.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Lease;
import dev.holdfast.server.NewToken;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;

/** Signing in, and what somebody with fewer roles is not offered. */
class SignInTest {
    private static final NewToken EVERYTHING = NewToken.make("ops", "look,lock,evict", "*");
    private static final NewToken LOOK = NewToken.make("viewer", "look", "*");
    private static final NewToken ORDERS = NewToken.make("orders-team", "look,evict", "orders/");
    private static final NewToken BLIND = NewToken.make("worker", "lock", "*");

    private static Browser browser;
    private static Scene scene;
    private static Lease lease;

    @BeforeAll
    static void start(@TempDir Path directory) throws IOException {
        browser = Browser.start();
        Path file = directory.resolve("access");
        Files.write(file, List.of(EVERYTHING.line(), LOOK.line(), ORDERS.line(), BLIND.line()));
        scene = new Scene(options -> options.withAccess(file));
        lease = scene.take("shop-1", "orders/1", "");
        scene.take("shop-2", "billing/1", "");
    }

    @AfterAll
    static void stop() {
        if (browser != null) {
            browser.close();
            scene.close();
        }
    }

    @AfterEach
    void leave() {
        browser.go("about:blank");
    }

    @Test
    void withoutATokenNothingIsShown() {
        browser.open(scene.address());
        browser.find("#token");
        assertThat(browser.text("body")).contains("Sign in", "this tab only").doesNotContain("orders/1");
        assertThat(browser.has("nav")).isFalse();
        browser.find("form button").click();
        browser.awaitText("#sign-in-alarm", "Type in the token first.");
        browser.find("#token").sendKeys("hf_this-is-not-the-token-of-anybody-here-0123");
        browser.press(Keys.ENTER);
        browser.awaitText("#sign-in-alarm", "does not accept");
        assertThat(browser.is("sessionStorage.length === 0")).isTrue();
        assertThat(browser.complaints()).noneMatch(complaint -> complaint.contains("Content Security Policy"));
    }

    @Test
    void aTokenStaysInTheTabAndNowhereElse() {
        signIn(EVERYTHING);
        browser.awaitText(".rows", "orders/1");
        assertThat(browser.text("header")).contains("ops");
        assertThat(browser.address()).doesNotContain(EVERYTHING.token());
        assertThat(browser.is("!JSON.stringify(localStorage).includes('hf_') && !document.cookie"))
                .isTrue();
        assertThat(browser.is("!document.documentElement.outerHTML.includes('hf_')"))
                .isTrue();
        browser.reload();
        browser.awaitText(".rows", "orders/1");

        browser.find("#sign-out").click();
        browser.find("#token");
        assertThat(browser.text("body")).doesNotContain("orders/1");
        assertThat(browser.is("sessionStorage.length === 0")).isTrue();
        browser.reload();
        browser.find("#token");
    }

    @Test
    void whoMayNotEvictIsNotOfferedIt() {
        signIn(LOOK);
        show("orders/1");
        assertThat(browser.text("#may-not-evict")).contains("not evict");
        assertThat(browser.has(".holder-card .danger")).isFalse();
        assertThat(lease.isHeld()).isTrue();
    }

    @Test
    void prefixesLimitWhatIsSeenAndEvicted() {
        signIn(ORDERS);
        browser.awaitText("#shown", "1 of 1 lock");
        assertThat(browser.text(".rows")).contains("orders/1").doesNotContain("billing/1");
        show("orders/1");
        assertThat(browser.has(".holder-card .danger")).isTrue();
    }

    @Test
    void whoMayNotLookIsToldSo() {
        signIn(BLIND);
        browser.awaitText("main", "without the role “look”");
        assertThat(browser.text("body")).doesNotContain("orders/1");
    }

    private static void signIn(NewToken token) {
        browser.open(scene.address());
        browser.find("#token").sendKeys(token.token());
        browser.press(Keys.ENTER);
        browser.find("#sign-out");
    }

    private static void show(String lock) {
        browser.script("location.hash = arguments[0]", Scene.fragment(lock));
        browser.find(".holder-card");
    }
}
