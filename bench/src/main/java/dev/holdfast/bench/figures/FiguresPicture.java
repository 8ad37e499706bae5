package dev.holdfast.bench.figures;

import dev.holdfast.bench.chart.LogScale;
import dev.holdfast.bench.chart.Svg;
import dev.holdfast.bench.figures.CommittedResults.Measured;
import dev.holdfast.bench.results.ResultsFile;
import dev.holdfast.bench.results.ScenarioResult;
import dev.holdfast.bench.results.ScenarioResult.Comparison;
import dev.holdfast.bench.results.ScenarioResult.Kind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** How many times faster Holdfast is than the usual library of each store: the picture of the README. */
final class FiguresPicture {
    private static final List<String> SCENARIOS = List.of("hot-6x1", "hot-2x4", "solo");
    private static final String TITLE = "How many times faster Holdfast is than the usual library of each store";
    private static final String LEGEND =
            "hot-6x1: 6 processes want one lock.   hot-2x4: 2 processes with 4 threads each."
                    + "   solo: nobody else wants the lock.";
    private static final String HOW = "Median of the rounds; the line is the spread. Logarithmic scale.";

    private static final Pattern PRODUCT = Pattern.compile("^\\S+ [^\\s,]+");

    private static final int WIDTH = 880;
    private static final int LEFT = 390;
    private static final int RIGHT = 780;
    private static final int TOP = 84;
    private static final int ROW = 22;
    private static final int GAP = 10;
    private static final int BAR = 12;
    private static final int LINE = 16;

    /** The smallest ratio that is drawn as it is. */
    private static final double LEAST = 1e-3;

    private final List<Bar> bars;

    FiguresPicture(CommittedResults committed) {
        List<Measured> newest = committed.newest();
        List<Bar> found = new ArrayList<>();
        for (String store : committed.stores()) {
            for (String scenario : SCENARIOS) {
                newest.stream()
                        .filter(each -> each.result().store().equals(store)
                                && each.result().name().equals(scenario))
                        .forEach(each -> each.result().comparisons().stream()
                                .filter(comparison -> comparison.kind() == Kind.PEER)
                                // The first one is the usual one.
                                .findFirst()
                                .ifPresent(usual -> found.add(new Bar(each, usual))));
            }
        }
        this.bars = List.copyOf(found);
    }

    /** One row: how many times faster in one scenario. */
    private record Bar(Measured measured, Comparison usual) {
        ScenarioResult result() {
            return measured.result();
        }

        double at(double ratio) {
            return Math.max(LEAST, result().moreIsBetter() ? ratio : 1 / ratio);
        }
    }

    String svg() {
        List<String> circumstances = circumstances();
        int bottom = TOP + bars.size() * ROW + stores().size() * GAP;
        Svg svg = new Svg(WIDTH, bottom + 50 + LINE * circumstances.size(), TITLE);
        svg.text("ink head", 16, 26, "start", TITLE);
        svg.text("muted", 16, 46, "start", LEGEND);
        if (bars.isEmpty()) {
            svg.text("ink", 16, TOP, "start", "No store with a server has been measured yet.");
            return svg.finish();
        }
        LogScale scale = axis(svg, bottom);
        double y = TOP;
        String store = "";
        for (Bar bar : bars) {
            if (!bar.result().store().equals(store)) {
                store = bar.result().store();
                svg.text("ink", 16, y + GAP + ROW / 2.0, "start", product(bar.result()));
                y += GAP;
            }
            draw(svg, scale, bar, y + ROW / 2.0 - 4);
            y += ROW;
        }
        svg.text("muted small", 16, bottom + 36, "start", HOW);
        for (int i = 0; i < circumstances.size(); i++) {
            svg.text("muted small", 16, bottom + 36 + LINE * (i + 1), "start", circumstances.get(i));
        }
        return svg.finish();
    }

    private LogScale axis(Svg svg, int bottom) {
        List<Double> values = new ArrayList<>(List.of(1.0));
        for (Bar bar : bars) {
            values.add(bar.at(bar.usual().ratio().least()));
            values.add(bar.at(bar.usual().ratio().most()));
        }
        LogScale scale = LogScale.of(values, LEFT, RIGHT);
        for (double tick : scale.ticks()) {
            svg.line(tick == 1 ? "axis" : "grid", scale.at(tick), TOP, scale.at(tick), bottom);
            svg.text("muted", scale.at(tick), bottom + 14, "middle", LogScale.label(tick) + " ×");
        }
        svg.text("muted", scale.at(1) + 8, TOP - 8, "start", "faster ▶");
        if (scale.at(1) > LEFT) {
            svg.text("muted", scale.at(1) - 8, TOP - 8, "end", "◀ slower");
        }
        return scale;
    }

    private static void draw(Svg svg, LogScale scale, Bar bar, double middle) {
        double one = scale.at(1);
        double median = scale.at(bar.at(bar.usual().ratio().median()));
        svg.text(
                "ink",
                LEFT - 12,
                middle + 4,
                "end",
                bar.result().name() + ", " + bar.usual().title());
        svg.bar(
                median >= one ? "better" : "worse",
                Math.min(one, median),
                middle - BAR / 2.0,
                Math.max(1, Math.abs(median - one)),
                BAR);
        svg.line(
                "whisker",
                scale.at(bar.at(bar.usual().ratio().least())),
                middle,
                scale.at(bar.at(bar.usual().ratio().most())),
                middle);
        svg.text(
                "ink",
                WIDTH - 16,
                middle + 4,
                "end",
                times(bar.at(bar.usual().ratio().median())));
    }

    private Set<String> stores() {
        Set<String> stores = new LinkedHashSet<>();
        bars.forEach(bar -> stores.add(bar.result().store()));
        return stores;
    }

    /** One line for each day and machine, with its stores if there are several. */
    private List<String> circumstances() {
        Map<String, Set<String>> stores = new LinkedHashMap<>();
        for (Bar bar : bars) {
            ResultsFile results = bar.measured().run().results();
            String where = results.date().substring(0, "2026-01-31".length()) + ", "
                    + results.machine().text() + ", Java " + results.java();
            stores.computeIfAbsent(where, each -> new LinkedHashSet<>())
                    .add(bar.result().store());
        }
        return stores.entrySet().stream()
                .map(each -> (stores.size() == 1 ? "" : String.join(", ", each.getValue()) + ": ") + each.getKey())
                .toList();
    }

    /** The name and the version of the server, without how it is built and set up. */
    private static String product(ScenarioResult result) {
        return PRODUCT.matcher(result.server())
                .results()
                .map(MatchResult::group)
                .findFirst()
                .orElse(result.server());
    }

    private static String times(double ratio) {
        return String.format(Locale.ROOT, ratio >= 10 ? "%,.0f ×" : ratio >= 1 ? "%.1f ×" : "%.2f ×", ratio);
    }
}
