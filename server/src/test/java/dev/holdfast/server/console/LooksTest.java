package dev.holdfast.server.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.LockOptions;
import dev.holdfast.LossReason;
import dev.holdfast.StoreTraits;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

/** The console in both languages, both themes, at the width of a phone, by keyboard and for a screen reader. */
class LooksTest {
    private static final Path SCREENS = Path.of("target/console-screens");
    private static final Map<String, String> PAGES =
            Map.of("list", "#/", "lock", Scene.fragment("catalog"), "losses", "#/losses", "store", "#/store");
    private static final Pattern KEY = Pattern.compile("^ {2}'?([\\w-]+)'?: '", Pattern.MULTILINE);

    private static Browser browser;
    private static Scene scene;

    @BeforeAll
    static void start() {
        browser = Browser.start();
        scene = new Scene();
        LockOptions options = LockOptions.defaults();
        for (int i = 1; i <= 30; i++) {
            scene.take("shop-" + i % 4 + "/" + (4000 + i), "orders/" + i, i % 3 == 0 ? "nightly import" : "");
        }
        scene.keep(scene.client("web-1").readWriteLock("catalog", options).readLock());
        scene.keep(scene.client("web-2").readWriteLock("catalog", options).readLock());
        scene.client("reindex").readWriteLock("catalog", options).writeLock().tryAcquireAsync(Duration.ofMinutes(5));
        scene.keep(scene.client("uploader").semaphore("uploads", 5).permits(3));
    }

    @AfterAll
    static void stop() {
        if (browser != null) {
            browser.close();
            scene.close();
        }
    }

    @AfterEach
    void undress() {
        browser.undress();
    }

    @Test
    void everyPageFitsOnAPhoneAndOnADesk() {
        assertFits("en", "light", 1280);
        assertFits("zh", "dark", 390);
    }

    @Test
    @Tag("full")
    void everyPageFitsInBothLanguagesAndThemesAndWidths() {
        for (String language : List.of("en", "zh")) {
            for (String colours : List.of("light", "dark")) {
                for (int width : List.of(1280, 390)) {
                    assertFits(language, colours, width);
                }
            }
        }
    }

    /** Leaves pictures of all pages in {@code target/console-screens}, for people to look at. */
    private static void assertFits(String language, String colours, int width) {
        browser.dress(width, 844, colours);
        browser.open(scene.address());
        choose("language", language);
        new TreeMap<>(PAGES).forEach((page, fragment) -> {
            browser.script("location.hash = arguments[0]", fragment);
            browser.find(ready(page));
            String dress = "-" + language + "-" + colours + "-" + width + ".png";
            browser.screenshot(SCREENS.resolve(page + dress));
            assertThat(browser.is("document.documentElement.scrollWidth <= innerWidth"))
                    .as("%s in %s fits into %d", page, language, width)
                    .isTrue();
            if (page.equals("lock")) {
                browser.find(".holder-card .danger").click();
                browser.find("dialog #evict-confirm");
                browser.screenshot(SCREENS.resolve("evict" + dress));
                assertThat(browser.is("document.querySelector('dialog').scrollWidth <= innerWidth"))
                        .as("the eviction in %s fits into %d", language, width)
                        .isTrue();
                browser.find("#evict-cancel").click();
            }
            assertThat(lightness() < 0.5).as("dark").isEqualTo(colours.equals("dark"));
            assertThat(browser.script("return document.documentElement.lang"))
                    .isEqualTo(language.equals("zh") ? "zh-CN" : "en");
        });
        assertThat(browser.complaints()).isEmpty();
    }

    private static String ready(String page) {
        return switch (page) {
            case "list" -> ".rows .row";
            case "lock" -> ".holder-card";
            case "losses" -> "#losses + .muted";
            default -> "#promises li";
        };
    }

    @Test
    void theChosenThemeAndLanguageWinAndStay() {
        browser.dress(1280, 800, "light");
        browser.open(scene.address());
        choose("theme", "dark");
        choose("language", "zh");
        assertThat(lightness()).isLessThan(0.5);
        browser.reload();
        browser.awaitText("h1", "锁");
        assertThat(lightness()).isLessThan(0.5);
        choose("theme", "light");
        assertThat(lightness()).isGreaterThan(0.5);
    }

    @Test
    void textIsLegibleInBothThemes() {
        for (String colours : List.of("light", "dark")) {
            browser.dress(1280, 844, colours);
            browser.open(scene.address());
            for (String page : PAGES.values()) {
                browser.script("location.hash = arguments[0]", page);
                browser.find("h1");
                assertThat(tooFaint())
                        .as("text with a contrast below 4.5 on %s, %s", page, colours)
                        .isEmpty();
            }
        }
    }

    @Test
    void bothLanguagesSayTheSameThings() {
        List<String> english = KEY.matcher(file("words-en.js"))
                .results()
                .map(found -> found.group(1))
                .toList();
        List<String> chinese = KEY.matcher(file("words-zh.js"))
                .results()
                .map(found -> found.group(1))
                .toList();
        assertThat(english).doesNotHaveDuplicates().hasSizeGreaterThan(100);
        assertThat(english.stream().filter(key -> !key.endsWith("_one"))).containsExactlyElementsOf(chinese);
        for (StoreTraits.Promise promise : StoreTraits.Promise.values()) {
            assertThat(english).contains("yes_" + promise, "no_" + promise);
        }
        for (LossReason reason : LossReason.values()) {
            assertThat(english)
                    .contains("reason_"
                            + reason.toString().toLowerCase(Locale.ROOT).replace('_', '-'));
        }
        assertThat(placeholders("words-zh.js")).isEqualTo(placeholders("words-en.js"));
    }

    @Test
    void everythingIsReachedByKeyboard() {
        browser.open(scene.address());
        browser.find(".rows .row");
        browser.script("document.activeElement.blur()");
        List<String> stops = new ArrayList<>();
        for (int i = 0; i < 40 && !stops.contains("locks"); i++) {
            browser.press(Keys.TAB);
            stops.add(browser.focused().getAttribute("id") + browser.focused().getText());
            stops.replaceAll(stop -> stop.startsWith("locks") ? "locks" : stop);
        }
        assertThat(stops).contains("Skip to the content", "Store", "locks").anyMatch(stop -> stop.startsWith("filter"));
        browser.press(Keys.ARROW_DOWN, Keys.ARROW_DOWN);
        String row = browser.focused().getAttribute("aria-activedescendant");
        assertThat(browser.text("#" + row)).contains("orders/1");
        browser.press(Keys.ENTER);
        browser.awaitText("h1", "orders/1");
        assertThat(browser.focused().getTagName()).isEqualTo("h1");
        browser.go(scene.address());
        browser.find(".rows .row");
        browser.press("/");
        assertThat(browser.focused().getAttribute("id")).isEqualTo("filter");
    }

    @Test
    void aScreenReaderHearsWhatIsShown() {
        browser.open(scene.address());
        browser.find(".rows .row");
        assertNamed();
        WebElement grid = browser.find("#locks");
        assertThat(grid.getAriaRole()).isEqualTo("grid");
        assertThat(grid.getAttribute("aria-rowcount")).isEqualTo("33");
        assertThat(browser.all("[role=row]").get(0).getAttribute("aria-rowindex"))
                .isEqualTo("1");
        assertThat(browser.all("[role=row] [role=columnheader]")).hasSize(6);
        assertThat(browser.all(".rows [role=row]").get(0).findElements(By.cssSelector("[role=gridcell]")))
                .hasSize(6);
        browser.go(scene.address("catalog"));
        browser.find(".holder-card .danger").click();
        assertNamed();
        assertThat(browser.find("dialog").getAriaRole()).isEqualTo("dialog");
        assertThat(browser.find("dialog").getAccessibleName()).isEqualTo("Take the lock away?");
    }

    private static void assertNamed() {
        List<String> heard = browser.heard();
        assertThat(heard).anyMatch(each -> each.startsWith("button "));
        assertThat(heard.stream()
                        .filter(each ->
                                each.matches("(link|button|searchbox|textbox|combobox|grid|dialog|navigation|image) ")))
                .as("without a name")
                .isEmpty();
    }

    private static void choose(String select, String value) {
        browser.find("#" + select);
        browser.script(
                "const s = document.getElementById(arguments[0]); s.value = arguments[1];"
                        + " s.dispatchEvent(new Event('change'));",
                select,
                value);
    }

    private static double lightness() {
        return ((Number) browser.script(
                        "const c = /(\\d+)\\D+(\\d+)\\D+(\\d+)/.exec(getComputedStyle(document.body).backgroundColor);"
                                + "return (+c[1] + +c[2] + +c[3]) / 765"))
                .doubleValue();
    }

    /** Texts whose contrast with what is behind them is less than the WCAG's level AA asks for. */
    @SuppressWarnings("unchecked")
    private static List<String> tooFaint() {
        return (List<String>) browser.script("""
                const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
                const rgba = (colour) => {
                  canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
                  return [...canvas.getImageData(0, 0, 1, 1).data];
                };
                const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
                  .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
                  .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
                const ground = (element) => {
                  for (let e = element; e; e = e.parentElement) {
                    const colour = rgba(getComputedStyle(e).backgroundColor);
                    if (colour[3] > 200) return colour;
                  }
                  return [255, 255, 255];
                };
                const faint = [];
                for (const element of document.querySelectorAll('body *')) {
                  if (![...element.childNodes].some((n) => n.nodeType === 3 && n.data.trim() !== '') || !element.checkVisibility()) continue;
                  const [a, b] = [light(rgba(getComputedStyle(element).color)), light(ground(element))];
                  const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
                  if (contrast < 4.5) faint.push(`${element.className} ${element.textContent} ${contrast.toFixed(2)}`);
                }
                return faint;
                """);
    }

    private static String file(String name) {
        try (InputStream file = LooksTest.class.getResourceAsStream("/dev/holdfast/server/console/" + name)) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    /** The {names} in each text, by key. */
    private static Map<String, TreeSet<String>> placeholders(String name) {
        Map<String, TreeSet<String>> found = new TreeMap<>();
        file(name).lines().forEach(line -> {
            var key = KEY.matcher(line);
            if (key.find() && !key.group(1).endsWith("_one")) {
                TreeSet<String> names = new TreeSet<>();
                Pattern.compile("\\{\\w+}").matcher(line).results().forEach(each -> names.add(each.group()));
                found.put(key.group(1), names);
            }
        });
        return found;
    }
}
