package dev.holdfast.bench.ruler;

import dev.holdfast.bench.chart.LogScale;
import dev.holdfast.bench.chart.Svg;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** A figure of several makers as something grows. Both axes are logarithmic; what is nought is left out. */
final class LineChart {
    private static final int WIDTH = 880;
    private static final int HEIGHT = 330;
    private static final int LEFT = 80;
    private static final int RIGHT = 850;
    private static final int TOP = 50;
    private static final int BOTTOM = 280;
    private static final int LEGEND = 24;
    private static final int LEGEND_WIDTH = 210;

    private LineChart() {}

    /**
     * One maker's points.
     *
     * @param points by what grows
     */
    record Line(String label, Map<Integer, Double> points) {}

    /** The titles of the axes say what grows and what is measured. */
    static String draw(String title, String grows, List<Line> lines) {
        Svg svg = new Svg(WIDTH, HEIGHT, title);
        LogScale across = LogScale.of(
                lines.stream()
                        .flatMap(line -> line.points().keySet().stream())
                        .map(Integer::doubleValue)
                        .toList(),
                LEFT + 10,
                RIGHT);
        LogScale up = LogScale.of(
                lines.stream().flatMap(line -> line.points().values().stream()).toList(), BOTTOM, TOP);
        for (double tick : up.ticks()) {
            svg.line("grid", LEFT, up.at(tick), RIGHT, up.at(tick));
            svg.text("muted", LEFT - 8, up.at(tick) + 4, "end", LogScale.label(tick));
        }
        for (double tick : across.ticks()) {
            svg.line("grid", across.at(tick), TOP, across.at(tick), BOTTOM);
            svg.text("muted", across.at(tick), BOTTOM + 18, "middle", LogScale.label(tick));
        }
        svg.text("muted", (LEFT + RIGHT) / 2.0, BOTTOM + 38, "middle", grows);
        for (int i = 0; i < lines.size(); i++) {
            draw(svg, across, up, lines.get(i), i);
        }
        return svg.finish();
    }

    private static void draw(Svg svg, LogScale across, LogScale up, Line line, int number) {
        int colour = number % Svg.COLOURS;
        svg.dot(colour, LEFT + 6 + LEGEND_WIDTH * number, LEGEND - 4);
        svg.text("ink", LEFT + 16 + LEGEND_WIDTH * number, LEGEND, "start", line.label());
        svg.path(
                colour,
                line.points().entrySet().stream()
                        .map(point -> String.format(
                                Locale.ROOT, "%.1f,%.1f", across.at(point.getKey()), up.at(point.getValue())))
                        .collect(Collectors.joining(" ")));
        line.points().forEach((x, y) -> svg.dot(colour, across.at(x), up.at(y)));
    }
}
