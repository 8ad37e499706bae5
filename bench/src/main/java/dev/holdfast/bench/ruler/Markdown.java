package dev.holdfast.bench.ruler;

import dev.holdfast.bench.ruler.Document.Block;
import dev.holdfast.bench.ruler.Document.Chart;
import dev.holdfast.bench.ruler.Document.Heading;
import dev.holdfast.bench.ruler.Document.Table;
import dev.holdfast.bench.ruler.Document.Text;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A document as Markdown, with its charts in files beside it. */
final class Markdown {
    private Markdown() {}

    static String of(Document document) {
        return "# " + plain(document.title()) + "\n\n"
                + document.blocks().stream().map(Markdown::block).collect(Collectors.joining("\n\n")) + "\n";
    }

    private static String block(Block block) {
        if (block instanceof Heading heading) {
            return "#".repeat(heading.level()) + " " + plain(heading.text());
        } else if (block instanceof Text text) {
            return plain(text.text());
        } else if (block instanceof Table table) {
            return table(table);
        }
        Chart chart = (Chart) block;
        return "![" + plain(chart.title()) + "](" + chart.name() + ".svg)";
    }

    private static String table(Table table) {
        List<String> rule = IntStream.range(0, table.head().size())
                .mapToObj(column -> column < table.wordColumns() ? "---" : "---:")
                .toList();
        return row(table.head()) + "\n|" + String.join("|", rule) + "|\n"
                + table.rows().stream().map(Markdown::row).collect(Collectors.joining("\n"));
    }

    private static String row(List<String> cells) {
        return cells.stream().map(Markdown::plain).collect(Collectors.joining(" | ", "| ", " |"));
    }

    /** What comes from servers and processes must not look like Markdown. */
    private static String plain(String text) {
        return text.replaceAll("([\\\\`*_\\[\\]<>|#])", "\\\\$1").replace('\n', ' ');
    }
}
