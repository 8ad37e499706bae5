package dev.holdfast.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** No link within the repository leads nowhere, and every page of docs can be reached from its index. */
final class LinksTest {

    @Test
    void everyLinkLeadsSomewhere() throws IOException {
        List<String> broken = new ArrayList<>();
        for (Page page : Pages.all()) {
            broken.addAll(Links.broken(page));
        }
        assertThat(broken).isEmpty();
    }

    @Test
    void everyPageIsInTheIndex() throws IOException {
        Page index = Pages.named("docs/README.md");
        List<Path> linked = Links.of(index).stream()
                .map(link -> index.file().resolveSibling(link.getValue()).normalize())
                .toList();
        List<String> missing = Pages.all().stream()
                .filter(page -> page.name().startsWith("docs/") && !page.name().equals(index.name()))
                .filter(page -> !linked.contains(page.file())
                        && !linked.contains(page.file().getParent()))
                .map(Page::name)
                .toList();
        assertThat(missing).isEmpty();
    }

    @Test
    void brokenLinksAreFound(@TempDir Path directory) throws IOException {
        Files.writeString(directory.resolve("other.md"), "# A `b` heading, twice\n\n# A b heading, twice\n");
        Page page = Page.of(directory.resolve("page.md"), "page.md", """
                [a](other.md) [b](other.md#a-b-heading-twice) [c](other.md#a-b-heading-twice-1) `[d](not-a-link.md)`
                [e](missing.md) [f](other.md#a-b-heading-twice-2) [g](#here) [h](https://example.org/x)
                ![i](missing.svg)
                # Here
                ```
                [j](in-code.md)
                ```
                """);
        assertThat(Links.broken(page))
                .containsExactly(
                        "page.md:2: missing.md leads nowhere",
                        "page.md:2: other.md#a-b-heading-twice-2 leads nowhere",
                        "page.md:3: missing.svg leads nowhere");
    }
}
