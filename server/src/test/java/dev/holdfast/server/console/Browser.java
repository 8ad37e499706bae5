package dev.holdfast.server.console;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.awaitility.Awaitility;
import org.openqa.selenium.By;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** A headless Chromium of the system, never one that is downloaded. */
final class Browser implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** Warns of every Chromium that is newer than Selenium, though only plain commands are sent to it. */
    private static final Logger DEVTOOLS = Logger.getLogger("org.openqa.selenium.devtools");

    static {
        DEVTOOLS.setLevel(Level.SEVERE);
    }

    private final ChromeDriver driver;

    private Browser(ChromeDriver driver) {
        this.driver = driver;
    }

    /** Starts one; without Chromium and its driver on the path the tests are skipped, and say so. */
    static Browser start() {
        Optional<Path> chromium = onPath("chromium", "chromium-browser", "google-chrome");
        Optional<Path> chromedriver = onPath("chromedriver");
        assumeTrue(
                chromium.isPresent() && chromedriver.isPresent(),
                "there is no chromium or no chromedriver on the path; as root on Debian: apt-get install chromium chromium-driver");
        ChromeOptions options = new ChromeOptions();
        options.setBinary(chromium.get().toFile());
        options.addArguments(
                "--headless=new",
                "--disable-dev-shm-usage",
                "--disable-background-networking",
                "--disable-component-update",
                "--no-first-run",
                "--window-size=1280,900",
                "--lang=en-US");
        if (System.getProperty("user.name").equals("root")) {
            options.addArguments("--no-sandbox"); // which cannot be used by root
        }
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.WARNING);
        options.setCapability("goog:loggingPrefs", logs);
        ChromeDriverService service = new ChromeDriverService.Builder()
                .usingDriverExecutable(chromedriver.get().toFile())
                .usingAnyFreePort()
                .withSilent(true)
                .build();
        return new Browser(new ChromeDriver(service, options));
    }

    private static Optional<Path> onPath(String... names) {
        List<String> directories = Arrays.asList(System.getenv("PATH").split(File.pathSeparator, -1));
        return Arrays.stream(names)
                .flatMap(name -> directories.stream().map(directory -> Path.of(directory, name)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** Opens an address as if for the first time: with a new tab's storage, in English. */
    void open(String address) {
        driver.get(address);
        script("sessionStorage.clear(); localStorage.clear();");
        go(address);
        complaints(); // those of the page before do not count
    }

    /** Opens an address, keeping what the tab has stored. */
    void go(String address) {
        driver.get("about:blank");
        driver.get(address);
    }

    void reload() {
        driver.navigate().refresh();
    }

    String address() {
        return driver.getCurrentUrl();
    }

    String title() {
        return driver.getTitle();
    }

    Object script(String body, Object... arguments) {
        return driver.executeScript(body, arguments);
    }

    long number(String expression) {
        return ((Number) script("return " + expression)).longValue();
    }

    boolean is(String expression) {
        return Boolean.TRUE.equals(script("return " + expression));
    }

    /** Waits for an element that can be seen. */
    WebElement find(String css) {
        await("an element " + css, () -> all(css).stream().anyMatch(WebElement::isDisplayed));
        return all(css).stream().filter(WebElement::isDisplayed).findFirst().orElseThrow();
    }

    List<WebElement> all(String css) {
        return driver.findElements(By.cssSelector(css));
    }

    boolean has(String css) {
        return !all(css).isEmpty();
    }

    /** What all elements show, in one string; empty if there are none. */
    String text(String css) {
        return String.valueOf(
                script("return [...document.querySelectorAll(arguments[0])].map(e => e.innerText).join('\\n')", css));
    }

    void awaitText(String css, String part) {
        await("'" + part + "' in " + css, () -> text(css).contains(part));
    }

    void awaitNoText(String css, String part) {
        await("no '" + part + "' in " + css, () -> !text(css).contains(part));
    }

    void await(String what, BooleanSupplier condition) {
        Awaitility.await(what)
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(30))
                .ignoreException(StaleElementReferenceException.class)
                .until(condition::getAsBoolean);
    }

    /** Sends keys to whatever has the focus. */
    void press(CharSequence... keys) {
        driver.switchTo().activeElement().sendKeys(keys);
    }

    WebElement focused() {
        return driver.switchTo().activeElement();
    }

    /** As a window of this size, with these colours of the system. */
    void dress(int width, int height, String colours) {
        driver.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < 500));
        driver.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", colours))));
    }

    void undress() {
        driver.executeCdpCommand("Emulation.clearDeviceMetricsOverride", Map.of());
        driver.executeCdpCommand("Emulation.setEmulatedMedia", Map.of("features", List.of()));
    }

    void screenshot(Path file) {
        try {
            Files.createDirectories(file.getParent());
            Files.write(file, driver.getScreenshotAs(OutputType.BYTES));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** Role and name of everything that a screen reader is told of. */
    @SuppressWarnings("unchecked")
    List<String> heard() {
        List<Map<String, Object>> nodes =
                (List<Map<String, Object>>) driver.executeCdpCommand("Accessibility.getFullAXTree", Map.of())
                        .get("nodes");
        return nodes.stream()
                .filter(node -> Boolean.FALSE.equals(node.get("ignored")))
                .map(node -> valueOf(node.get("role")) + " " + valueOf(node.get("name")))
                .toList();
    }

    private static Object valueOf(Object property) {
        return property instanceof Map<?, ?> map ? map.get("value") : "";
    }

    /** What the browser complained of since the last call: errors of scripts, refused resources, failed requests. */
    List<String> complaints() {
        return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
                .map(LogEntry::getMessage)
                .toList();
    }

    @Override
    public void close() {
        driver.quit();
    }
}
