package dev.holdfast.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Every table of every page is shown as a table: a row follows a row, or it is the head of a table and a separator follows it. A blank line
 * ends a table, so that what is below it would be shown as text with bars.
 */
final class TablesTest {
    private static final String SEPARATOR = "\\|(\\s*:?-+:?\\s*\\|)+";

    @Test
    void everyRowBelongsToATable() throws IOException {
        List<String> broken = new ArrayList<>();
        for (Page page : Pages.all()) {
            broken.addAll(broken(page));
        }
        assertThat(broken).isEmpty();
    }

    private static List<String> broken(Page page) {
        List<String> broken = new ArrayList<>();
        List<String> lines = page.prose().stream().map(String::strip).toList();
        for (int i = 0; i < lines.size(); i++) {
            String below = i + 1 < lines.size() ? lines.get(i + 1) : "";
            boolean isHead = isRow(lines.get(i)) && (i == 0 || !isRow(lines.get(i - 1)));
            if (isHead && (!isSeparator(below) || cells(below) != cells(lines.get(i)))) {
                broken.add(page.name() + ":" + (i + 1) + ": no table begins with " + lines.get(i));
            }
        }
        return broken;
    }

    private static boolean isRow(String line) {
        return line.startsWith("|");
    }

    private static boolean isSeparator(String line) {
        return line.matches(SEPARATOR);
    }

    private static int cells(String line) {
        return Page.cells(line).size();
    }

    @Test
    void brokenTablesAreFound() {
        Page page = Page.of(Path.of("page.md"), "page.md", """
                | a | b |
                |---|:-:|
                | 1 | 2 |

                | 3 | 4 |

                | c |
                |---|---|

                | d | `e|f` |
                |---|---|

                |---|
                ```text
                | in code |
                ```

                - item
                  | g |
                  | --- |
                """);
        assertThat(broken(page))
                .containsExactly(
                        "page.md:5: no table begins with | 3 | 4 |",
                        "page.md:7: no table begins with | c |",
                        "page.md:13: no table begins with |---|");
    }
}
