package dev.holdfast.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * A translation has the same headings, blocks of code, tables, lists, links and names in code as its original. What the
 * sentences say is for people to compare.
 */
final class TranslationTest {
    private static final String CHINESE = ".zh-CN.md";

    @Test
    void translationsHaveTheShapeOfTheirOriginals() throws IOException {
        List<Page> translations = Pages.all().stream()
                .filter(page -> page.name().endsWith(CHINESE))
                .toList();
        assertThat(translations).hasSizeGreaterThanOrEqualTo(4);
        for (Page translation : translations) {
            compare(Pages.named(translation.name().replace(CHINESE, ".md")), translation);
        }
    }

    private static void compare(Page original, Page translation) {
        String pair = translation.name();
        assertThat(structure(translation))
                .as(pair + ": headings, lists and tables")
                .isEqualTo(structure(original));
        assertThat(blocks(translation)).as(pair + ": blocks of code").isEqualTo(blocks(original));
        assertThat(names(translation))
                .as(pair + ": names in code")
                .containsExactlyInAnyOrderElementsOf(names(original));
        assertThat(links(translation)).as(pair + ": links").containsExactlyInAnyOrderElementsOf(links(original));
    }

    private static List<String> structure(Page page) {
        List<String> structure = new ArrayList<>();
        for (String line : page.prose()) {
            if (line.matches("#+ .*")) {
                structure.add(line.substring(0, line.indexOf(' ')));
            } else if (line.matches("(- |\\d+\\. ).*")) {
                structure.add("item");
            } else if (line.startsWith("|")) {
                structure.add("row of " + Page.cells(line).size());
            }
        }
        return structure;
    }

    /** Without comments and without what is printed, which are translated too. */
    private static List<String> blocks(Page page) {
        return page.fences().stream()
                .map(fence -> fence.language() + " " + fence.mark() + " "
                        + fence.code()
                                .replaceAll("<!--.*?-->", "")
                                .replaceAll("(?m)(//|(?<=\\s)#).*$", "")
                                .replaceAll("(?m)(println\\()\"[^\"]*\"", "$1")
                                .replaceAll("\\s+", " "))
                .map(block -> block.startsWith("text ") ? "text" : block)
                .toList();
    }

    private static List<String> names(Page page) {
        return page.prose().stream().flatMap(line -> Page.codeIn(line).stream()).toList();
    }

    /** Each language links to itself where a page is translated. */
    private static List<String> links(Page page) {
        return Links.of(page).stream()
                .map(Map.Entry::getValue)
                .map(link -> link.replace(CHINESE, ".md")
                        .replace(".zh-CN.svg", ".svg")
                        .replaceAll("#.*", "#"))
                .toList();
    }

    @Test
    void whatIsMissingIsFound() {
        Page original =
                Page.of(Path.of("a.md"), "a.md", "# A\n\nUse `x` and [b](b.md).\n\n```java\nint a = 1; // one\n```\n");
        Page good = Page.of(
                Path.of("a.zh-CN.md"),
                "a.zh-CN.md",
                "# 甲\n\n用 `x` 和 [乙](b.zh-CN.md)。\n\n```java\nint a = 1; // 一\n```\n");
        compare(original, good);
        for (String bad : List.of(
                "# 甲\n\n用 `y` 和 [乙](b.md)。\n\n```java\nint a = 1;\n```\n",
                "# 甲\n\n用 `x` 和 [乙](c.md)。\n\n```java\nint a = 1;\n```\n",
                "# 甲\n\n用 `x` 和 [乙](b.md)。\n\n```java\nint a = 2;\n```\n",
                "## 甲\n\n用 `x` 和 [乙](b.md)。\n\n```java\nint a = 1;\n```\n")) {
            Page worse = Page.of(Path.of("a.zh-CN.md"), "a.zh-CN.md", bad);
            assertThatThrownBy(() -> compare(original, worse)).isInstanceOf(AssertionError.class);
        }
    }
}
