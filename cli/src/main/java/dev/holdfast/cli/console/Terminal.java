package dev.holdfast.cli.console;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What standard output is. The launcher has looked, because Java cannot tell a terminal from a file.
 *
 * @param columns how wide the terminal is; zero if it is none
 * @param colour whether to use colours
 */
public record Terminal(int columns, boolean colour) {
    private static final String COLUMNS_PROPERTY = "holdfast.columns";
    private static final int USUAL_COLUMNS = 80;
    private static final int FEWEST_COLUMNS = 40;

    public static Terminal ofThisProcess() {
        return of(System.getProperty(COLUMNS_PROPERTY), System.getenv());
    }

    public static Terminal of(@Nullable String columns, Map<String, String> environment) {
        if (columns == null) {
            return new Terminal(0, false);
        }
        boolean wanted = environment.getOrDefault("NO_COLOR", "").isEmpty()
                && !environment.getOrDefault("TERM", "dumb").equals("dumb");
        return new Terminal(width(columns), wanted);
    }

    public boolean isTerminal() {
        return columns > 0;
    }

    public String bold(String text) {
        return styled("1", text);
    }

    public String yellow(String text) {
        return styled("33", text);
    }

    public String red(String text) {
        return styled("31", text);
    }

    private String styled(String code, String text) {
        return colour ? "\u001b[" + code + "m" + text + "\u001b[m" : text;
    }

    /** A terminal that does not know its size says zero. */
    private static int width(String columns) {
        try {
            int width = Integer.parseInt(columns);
            return width <= 0 ? USUAL_COLUMNS : Math.max(FEWEST_COLUMNS, width);
        } catch (NumberFormatException unknown) {
            return USUAL_COLUMNS;
        }
    }
}
