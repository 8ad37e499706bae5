package dev.holdfast.server.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Names, clients, labels and reasons are whatever anybody chose: they are shown as they are, and do nothing. */
class HostileNamesTest {
    private static final String OVERRIDE = "\u202e";
    private static final String CLIENT = "<i>client</i> {token}" + OVERRIDE + "x";
    private static final List<String> NAMES = List.of(
            "<script>window.hit = 1</script>",
            "<img src=x onerror='window.hit = 1'>",
            "\"><svg onload=window.hit=1>",
            "javascript:window.hit=1",
            "{{constructor.constructor('window.hit=1')()}}",
            "evil" + OVERRIDE + "gnp.exe",
            "\u2066\u2067\u202bnested",
            "\u05e9\u05dc\u05d5\u05dd/\u05e2\u05d5\u05dc\u05dd",
            "\ud83d\ude00".repeat(63) + "abc",
            "\ud83d\udc68\u200d\ud83d\udc69\u200d\ud83d\udc67",
            "zero\u200bwidth",
            "a/../b/%2e%2e/%00?x=1#y&z",
            "  spaces  inside ",
            "__proto__",
            "constructor",
            "{client} $& {n}",
            "W".repeat(255));
    private static final List<String> WORST = List.of(NAMES.get(0), NAMES.get(5), NAMES.get(8), NAMES.get(11));

    private static Browser browser;
    private static Scene scene;

    @BeforeAll
    static void start() {
        browser = Browser.start();
        scene = new Scene();
        LockOptions options = LockOptions.defaults().withLabel("<b>label</b>");
        Holdfast client = scene.client(CLIENT);
        NAMES.forEach(name -> scene.keep(client.lock(name, options)));
    }

    @AfterAll
    static void stop() {
        if (browser != null) {
            browser.close();
            scene.close();
        }
    }

    @Test
    void allAreListedAsTheyAre() {
        browser.open(scene.address());
        browser.await("all rows", () -> browser.all(".rows .row").size() == NAMES.size());
        assertThat(shown(".rows .cell.name bdi")).containsExactlyInAnyOrderElementsOf(NAMES);
        assertThat(browser.text(".rows .cell.holder")).contains("<i>client</i> {token}", "U+202E", "<b>label</b>");
        assertInert();
    }

    @Test
    void eachHasAPageWhereItCanBeEvicted() {
        try (Scene own = new Scene()) {
            Holdfast client = own.client(CLIENT);
            browser.open(own.address());
            for (String name : WORST) {
                Lease lease = own.keep(client.lock(name));
                browser.script("location.hash = arguments[0]", Scene.fragment(name));
                browser.await(
                        "the page of " + name,
                        () -> shown("h1 bdi").equals(List.of(name)) && browser.has(".holder-card"));
                assertThat(browser.title()).endsWith(" · Holdfast").startsWith("\u2068");
                browser.find(".holder-card .danger").click();
                browser.find("#reason").sendKeys("<u>reason</u>");
                browser.find("#evict-confirm").click();
                browser.await("the end of the lease", () -> !lease.isHeld());
                browser.awaitText("#last-eviction", "<u>reason</u>");
                browser.awaitText("#events", "lost by");
                assertInert();
            }
            browser.find("nav a[data-page=losses]").click();
            browser.await("all losses", () -> browser.all("#losses li").size() == WORST.size());
            assertThat(shown("#losses a bdi")).containsExactlyInAnyOrderElementsOf(WORST);
            assertInert();
        }
    }

    private static void assertInert() {
        assertThat(browser.is("window.hit === undefined")).isTrue();
        assertThat(
                        browser.is(
                                "document.querySelector('b, i, u, svg:not(.waiting-graph), iframe, body script, img:not([src=\"favicon.svg\"])') === null"))
                .isTrue();
        assertThat(browser.is("document.documentElement.scrollWidth <= innerWidth"))
                .isTrue();
        assertThat(
                        browser.is(
                                "[...document.querySelectorAll('.foreign')].every(e => getComputedStyle(e).unicodeBidi === 'isolate')"))
                .isTrue();
        assertThat(browser.is("!/[\\u202a-\\u202e\\u2066\\u2067\\u200b]/.test(document.body.innerText)"))
                .isTrue();
        assertThat(browser.complaints()).isEmpty();
    }

    /** What elements show: every character is there, the unseen ones as codes, which are made into characters again. */
    @SuppressWarnings("unchecked")
    private static List<String> shown(String css) {
        return (List<String>) browser.script("""
                return [...document.querySelectorAll(arguments[0])].map((element) => {
                  const copy = element.cloneNode(true);
                  for (const code of copy.querySelectorAll('.unseen'))
                    code.replaceWith(String.fromCodePoint(parseInt(code.textContent.slice(2), 16)));
                  return copy.textContent;
                });
                """, css);
    }
}
