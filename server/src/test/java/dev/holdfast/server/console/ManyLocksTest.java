package dev.holdfast.server.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/** The list with as many locks as a large site has. */
class ManyLocksTest {
    private static final int MANY = 10_000;
    private static final int MOST_ROWS = 80;

    @Test
    void tenThousandLocksAreFilteredSortedAndReached() {
        try (Browser browser = Browser.start();
                Scene scene = new Scene()) {
            use(browser, scene);
        }
    }

    private static void use(Browser browser, Scene scene) {
        Holdfast client = scene.client("crowd");
        List<Lease> leases = new ArrayList<>();
        LockOptions options = LockOptions.defaults().withLeaseTime(Duration.ofMinutes(10));
        for (int i = 0; i < MANY; i++) {
            leases.add(scene.keep(client.lock("crowd/%05d".formatted(i), options)));
        }
        browser.open(scene.address());
        browser.awaitText("#shown", "10,000 of 10,000 locks");
        assertThat(browser.all(".rows .row")).hasSizeLessThan(MOST_ROWS);

        browser.find("#filter").sendKeys("CROWD/0123");
        browser.awaitText("#shown", "10 of 10,000");
        assertThat(browser.text(".rows .cell.name").lines())
                .hasSize(10)
                .allMatch(name -> name.startsWith("crowd/0123"));
        browser.find("#filter").sendKeys(Keys.chord(Keys.CONTROL, "a"), Keys.DELETE);
        browser.awaitText("#shown", "10,000 of 10,000");

        browser.find(".head .cell.name button").click(); // it was ascending
        browser.await(
                "descending",
                () -> browser.text(".rows .row:first-child .cell.name").equals("crowd/09999"));
        assertThat(browser.find("[role=columnheader].name").getAttribute("aria-sort"))
                .isEqualTo("descending");

        browser.find("#locks").sendKeys(Keys.END);
        browser.awaitText(".rows", "crowd/00000");
        assertThat(browser.all(".rows .row")).hasSizeLessThan(MOST_ROWS);
        leases.get(7).close();
        browser.awaitText("#shown", "9,999 of 9,999");
        browser.press(Keys.ARROW_UP, Keys.ENTER);
        browser.awaitText("h1", "crowd/00001");
        browser.find(".back a").click();
        browser.awaitText(".rows", "crowd/00000"); // the same place as before
        client.close();
    }
}
