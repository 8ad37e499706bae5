package dev.holdfast.bench.ruler;

import dev.holdfast.bench.chart.LogScale;
import dev.holdfast.bench.chart.Svg;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** How many times better ours is than each of the others: to the right of 1 better, to the left worse. */
final class BarChart {
    private static final int WIDTH = 880;
    private static final int LEFT = 300;
    private static final int RIGHT = 790;
    private static final int TOP = 44;
    private static final int ROW = 22;
    private static final double BAR = 12;

    /** The smallest ratio that is drawn as it is; anything below looks the same. */
    private static final double LEAST = 1e-5;

    private BarChart() {}

    /**
     * One comparison.
     *
     * @param times how many times better, with its spread over the rounds
     * @param target what is asked for
     */
    record Bar(String label, Spread times, Optional<Double> target) {}

    static String draw(String title, List<Bar> bars) {
        int bottom = TOP + ROW * bars.size();
        Svg svg = new Svg(WIDTH, bottom + 34, title);
        LogScale scale = scale(bars);
        for (double tick : scale.ticks()) {
            svg.line(tick == 1 ? "axis" : "grid", scale.at(tick), TOP - 4, scale.at(tick), bottom);
            svg.text("muted", scale.at(tick), bottom + 16, "middle", LogScale.label(tick));
        }
        svg.text("muted", scale.at(1) - 8, TOP - 12, "end", "◀ worse");
        svg.text("muted", scale.at(1) + 8, TOP - 12, "start", "better ▶");
        svg.line("target", WIDTH - 152, TOP - 16, WIDTH - 152, TOP - 7);
        svg.text("muted", WIDTH - 144, TOP - 7, "start", "asked");
        for (int i = 0; i < bars.size(); i++) {
            draw(svg, scale, bars.get(i), TOP + ROW * i + ROW / 2.0);
        }
        return svg.finish();
    }

    private static void draw(Svg svg, LogScale scale, Bar bar, double middle) {
        double value = scale.at(within(bar.times().median()));
        double one = scale.at(1);
        svg.text("ink", LEFT - 12, middle + 4, "end", bar.label());
        svg.bar(
                value >= one ? "better" : "worse",
                Math.min(one, value),
                middle - BAR / 2,
                Math.max(1, Math.abs(value - one)),
                BAR);
        svg.line(
                "whisker",
                scale.at(within(bar.times().least())),
                middle,
                scale.at(within(bar.times().most())),
                middle);
        bar.target()
                .map(BarChart::within)
                .map(scale::at)
                .ifPresent(at -> svg.line("target", at, middle - ROW / 2.0 + 1, at, middle + ROW / 2.0 - 1));
        svg.text("ink", WIDTH - 8, middle + 4, "end", Lines.number(bar.times().median()) + " ×");
    }

    private static LogScale scale(List<Bar> bars) {
        List<Double> values = new ArrayList<>(List.of(1.0));
        for (Bar bar : bars) {
            values.add(within(bar.times().least()));
            values.add(within(bar.times().most()));
            bar.target().map(BarChart::within).ifPresent(values::add);
        }
        return LogScale.of(values, LEFT, RIGHT);
    }

    private static double within(double ratio) {
        return Math.max(LEAST, Math.min(1 / LEAST, ratio));
    }
}
