package dev.holdfast.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The messages that pages quote are those of the code, and the exceptions that they name exist. */
final class TroubleshootingTest {
    private static final Pattern EXCEPTION = Pattern.compile("\\b[A-Z]\\w+Exception\\b");

    @Test
    void everyMessageIsOneOfTheCode() throws IOException {
        Messages messages = new Messages();
        for (String page : List.of("docs/troubleshooting.md", "docs/spring.md")) {
            List<String> quoted = quoted(Pages.named(page));
            assertThat(quoted).hasSizeGreaterThan(15);
            assertThat(quoted.stream()
                            .filter(message -> !messages.unknownParts(message).isEmpty()))
                    .isEmpty();
        }
    }

    /** The first cells of the tables whose first column is headed "message". */
    private static List<String> quoted(Page page) {
        List<String> quoted = new ArrayList<>();
        boolean inTable = false;
        for (String line : page.prose()) {
            List<String> cells = Page.cells(line);
            if (cells.isEmpty()) {
                inTable = false;
            } else if (cells.get(0).equals("message")) {
                inTable = true;
            } else if (inTable && !cells.get(0).startsWith("--")) {
                quoted.addAll(Page.codeIn(cells.get(0)));
            }
        }
        return quoted;
    }

    @Test
    void everyExceptionExists() throws IOException {
        Messages messages = new Messages();
        List<String> unknown = new ArrayList<>();
        for (Page page : Pages.forUsers()) {
            if (page.name().equals("docs/migration.md")) {
                continue;
            }
            for (String line : page.prose()) {
                Matcher name = EXCEPTION.matcher(line);
                while (name.find()) {
                    if (!messages.unknownParts(name.group()).isEmpty()) {
                        unknown.add(page.name() + ": " + name.group());
                    }
                }
            }
        }
        assertThat(unknown).isEmpty();
    }

    @Test
    void messageThatNobodySaysIsFound() throws IOException {
        Messages messages = new Messages();
        assertThat(messages.unknownParts("token … of lock '…' was refused: the resource has seen …"))
                .isEmpty();
        assertThat(messages.unknownParts("token … of lock '…' was rejected")).containsExactly("' was rejected");
    }
}
