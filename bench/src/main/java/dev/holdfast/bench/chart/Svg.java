package dev.holdfast.bench.chart;

import java.util.Locale;

/** Writes one picture. It brings its own colours, for light and dark, so that it can also stand alone. Used by one thread. */
public final class Svg {
    /** How many colours there are for series. */
    public static final int COLOURS = 4;

    private static final String STYLE = """
            .ground{fill:#ffffff}.ink{fill:#1f2328}.muted{fill:#59636e}.grid{stroke:#d1d9e0}.axis{stroke:#818b98}
            .whisker{stroke:#1f2328}.target{stroke:#c4432b;stroke-width:2.5}.better{fill:#2a78d6}.worse{fill:#d9622b}
            .fill0{fill:#2a78d6}.fill1{fill:#d9622b}.fill2{fill:#1a9e70}.fill3{fill:#a15fd0}
            .line0{stroke:#2a78d6}.line1{stroke:#d9622b}.line2{stroke:#1a9e70}.line3{stroke:#a15fd0}
            text{font:12px system-ui,sans-serif}polyline{fill:none;stroke-width:2}
            .head{font-size:15px;font-weight:600}.small{font-size:11px}
            @media(prefers-color-scheme:dark){.ground{fill:#0d1117}.ink{fill:#e6edf3}.muted{fill:#9198a1}
            .grid{stroke:#3d444d}.axis{stroke:#656c76}.whisker{stroke:#e6edf3}.target{stroke:#ff7b62}
            .better{fill:#5aa2f0}.worse{fill:#f08a55}
            .fill0{fill:#5aa2f0}.fill1{fill:#f08a55}.fill2{fill:#3fc795}.fill3{fill:#c08be8}
            .line0{stroke:#5aa2f0}.line1{stroke:#f08a55}.line2{stroke:#3fc795}.line3{stroke:#c08be8}}
            """;

    private final StringBuilder body = new StringBuilder();
    private final int width;
    private final int height;

    /**
     * Makes an empty picture.
     *
     * @param width in pixels
     * @param height in pixels
     * @param title what it shows
     */
    public Svg(int width, int height, String title) {
        this.width = width;
        this.height = height;
        add("<title>%s</title>", plain(title));
        add("<style>%s</style>", STYLE);
        add("<rect class=\"ground\" width=\"%d\" height=\"%d\"/>", width, height);
    }

    /**
     * Draws a line.
     *
     * @param kind its classes in the style
     */
    public void line(String kind, double x1, double y1, double x2, double y2) {
        add("<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>", kind, x1, y1, x2, y2);
    }

    /**
     * Draws a bar.
     *
     * @param kind its classes in the style
     */
    public void bar(String kind, double x, double y, double barWidth, double barHeight) {
        add(
                "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"2\"/>",
                kind, x, y, barWidth, barHeight);
    }

    /**
     * Draws a point.
     *
     * @param colour below {@link #COLOURS}
     */
    public void dot(int colour, double x, double y) {
        add("<circle class=\"fill%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>", colour, x, y);
    }

    /**
     * Draws a line through points.
     *
     * @param colour below {@link #COLOURS}
     * @param points as {@code x,y} with blanks between
     */
    public void path(int colour, String points) {
        add("<polyline class=\"line%d\" points=\"%s\"/>", colour, points);
    }

    /**
     * Writes words.
     *
     * @param kind their classes in the style
     * @param anchor start, middle or end
     */
    public void text(String kind, double x, double y, String anchor, String text) {
        add("<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>", kind, x, y, anchor, plain(text));
    }

    /** {@return the complete picture} */
    public String finish() {
        return String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"%1$d\" height=\"%2$d\" viewBox=\"0 0 %1$d %2$d\">\n%3$s</svg>\n",
                width,
                height,
                body);
    }

    /**
     * Makes a text harmless in XML and HTML.
     *
     * @param text any
     * @return the same, to be read by people
     */
    public static String plain(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }

    private void add(String format, Object... values) {
        body.append(String.format(Locale.ROOT, format, values)).append('\n');
    }
}
