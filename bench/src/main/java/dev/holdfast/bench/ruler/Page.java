package dev.holdfast.bench.ruler;

import dev.holdfast.bench.chart.Svg;
import dev.holdfast.bench.ruler.Document.Block;
import dev.holdfast.bench.ruler.Document.Chart;
import dev.holdfast.bench.ruler.Document.Heading;
import dev.holdfast.bench.ruler.Document.Table;
import dev.holdfast.bench.ruler.Document.Text;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A document as one page that needs nothing else, in light or dark as the reader's system has it. */
final class Page {
    private static final String STYLE = """
            :root { color-scheme: light dark; --ink: #1f2328; --muted: #59636e; --line: #d1d9e0; --ground: #ffffff;
              --band: #f6f8fa; --good: #1a7f37; --bad: #c4432b; }
            @media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --muted: #9198a1; --line: #3d444d;
              --ground: #0d1117; --band: #151b23; --good: #3fb950; --bad: #ff7b62; } }
            body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 70rem; background: var(--ground);
              color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
            h1 { font-size: 1.7rem; } h2 { margin-top: 3rem; border-bottom: 1px solid var(--line); }
            h3 { margin: 2rem 0 .5rem; font-size: 1.05rem; }
            nav a { margin-right: 1rem; } a { color: inherit; }
            .wide { overflow-x: auto; }
            table { border-collapse: collapse; font-size: .87rem; font-variant-numeric: tabular-nums; }
            th, td { padding: .25rem .7rem; border-bottom: 1px solid var(--line); text-align: left; }
            th { color: var(--muted); font-weight: 600; vertical-align: bottom; }
            td { white-space: nowrap; } th.number, td.number { text-align: right; } td.words { white-space: normal; }
            tr:hover td { background: var(--band); }
            td.met { color: var(--good); } td.missed { color: var(--bad); font-weight: 600; }
            figure { margin: 1.2rem 0; } figcaption { color: var(--muted); font-size: .87rem; }
            svg { max-width: 100%; height: auto; }
            """;

    /** Longer cells may have several lines. */
    private static final int WRAPPED = 50;

    private Page() {}

    static String of(Document document) {
        String links = document.blocks().stream()
                .filter(block -> block instanceof Heading heading && heading.level() == 2)
                .map(block -> ((Heading) block).text())
                .map(text -> "<a href=\"#" + id(text) + "\">" + Svg.plain(text) + "</a>")
                .collect(Collectors.joining("\n"));
        return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                + "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>"
                + Svg.plain(document.title()) + "</title>\n<style>\n" + STYLE + "</style>\n</head>\n<body>\n<h1>"
                + Svg.plain(document.title()) + "</h1>\n<nav>" + links + "</nav>\n"
                + document.blocks().stream().map(Page::block).collect(Collectors.joining("\n"))
                + "\n</body>\n</html>\n";
    }

    private static String block(Block block) {
        if (block instanceof Heading heading) {
            String tag = "h" + heading.level();
            return "<" + tag + " id=\"" + id(heading.text()) + "\">" + Svg.plain(heading.text()) + "</" + tag + ">";
        } else if (block instanceof Text text) {
            return "<p>" + Svg.plain(text.text()) + "</p>";
        } else if (block instanceof Table table) {
            return table(table);
        }
        Chart chart = (Chart) block;
        return "<figure><figcaption>" + Svg.plain(chart.title()) + "</figcaption>\n" + chart.svg() + "</figure>";
    }

    private static String table(Table table) {
        return "<div class=\"wide\"><table>\n<thead>" + row(table, table.head(), "th") + "</thead>\n<tbody>\n"
                + table.rows().stream().map(row -> row(table, row, "td")).collect(Collectors.joining("\n"))
                + "\n</tbody></table></div>";
    }

    private static String row(Table table, List<String> cells, String tag) {
        return IntStream.range(0, cells.size())
                .mapToObj(column -> "<" + tag + kind(table, column, cells.get(column)) + ">"
                        + Svg.plain(cells.get(column)) + "</" + tag + ">")
                .collect(Collectors.joining("", "<tr>", "</tr>"));
    }

    private static String kind(Table table, int column, String cell) {
        return switch (cell) {
            case "met" -> " class=\"met\"";
            case "NOT MET", "NOT MEASURED" -> " class=\"missed\"";
            default ->
                column >= table.wordColumns() ? " class=\"number\"" : cell.length() > WRAPPED ? " class=\"words\"" : "";
        };
    }

    private static String id(String text) {
        return text.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
    }
}
