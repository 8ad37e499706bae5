package dev.holdfast.bench.ruler;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A report, before it is Markdown or a page.
 *
 * @param title of all
 * @param blocks in their order
 */
record Document(String title, List<Block> blocks) {

    /** A part of a document. */
    sealed interface Block permits Heading, Text, Table, Chart {}

    /** Level 2 or 3; the title has 1. */
    record Heading(int level, String text) implements Block {}

    /** A paragraph. */
    record Text(String text) implements Block {}

    /**
     * Words stand left in the first columns and numbers right in the others.
     *
     * @param wordColumns how many have words
     */
    record Table(int wordColumns, List<String> head, List<List<String>> rows) implements Block {}

    /**
     * A picture.
     *
     * @param name of its file, without the ending
     * @param title what it shows
     * @param svg complete
     */
    record Chart(String name, String title, String svg) implements Block {}

    /** Writes everything into a directory, which is made if need be, and returns the file of the page. */
    Path write(Path directory) throws IOException {
        Files.createDirectories(directory);
        for (Block block : blocks) {
            if (block instanceof Chart chart) {
                Files.writeString(directory.resolve(chart.name() + ".svg"), chart.svg());
            }
        }
        Files.writeString(directory.resolve("report.md"), Markdown.of(this));
        return Files.writeString(directory.resolve("report.html"), Page.of(this));
    }
}
