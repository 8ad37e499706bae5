package dev.holdfast.cli.console;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Rows of text in aligned columns. On a terminal, names are shortened so that a row fits a line; a token never is, since
 * people copy it. Not thread-safe.
 */
public final class Table {
    private static final int GAP = 2;
    private static final int NARROWEST = 8;

    private final Set<String> flexible;
    private final List<String> heading;
    private final List<List<String>> rows = new ArrayList<>();

    /**
     * Begins an empty table.
     *
     * @param flexible the headings of the columns that may be shortened
     * @param heading all headings
     */
    public Table(Set<String> flexible, String... heading) {
        this.flexible = flexible;
        this.heading = List.of(heading);
    }

    public void add(String... cells) {
        rows.add(List.of(cells));
    }

    public List<String> lines(Terminal terminal) {
        int[] widths = widths();
        if (terminal.isTerminal()) {
            fit(widths, terminal.columns());
        }
        List<String> lines = new ArrayList<>();
        lines.add(terminal.bold(line(heading, widths)));
        rows.forEach(row -> lines.add(line(row, widths)));
        return lines;
    }

    private int[] widths() {
        int[] widths = new int[heading.size()];
        widen(widths, heading);
        rows.forEach(row -> widen(widths, row));
        return widths;
    }

    private static void widen(int[] widths, List<String> row) {
        for (int i = 0; i < widths.length; i++) {
            widths[i] = Math.max(widths[i], Printable.width(row.get(i)));
        }
    }

    /** Takes from the widest flexible column until the row fits or nothing more can be taken. */
    private void fit(int[] widths, int room) {
        int used = GAP * (widths.length - 1);
        for (int width : widths) {
            used += width;
        }
        for (int excess = used - room; excess > 0; excess--) {
            int widest = widestFlexible(widths);
            if (widest < 0) {
                return;
            }
            widths[widest]--;
        }
    }

    private int widestFlexible(int[] widths) {
        int widest = -1;
        for (int i = 0; i < widths.length; i++) {
            if (flexible.contains(heading.get(i))
                    && widths[i] > NARROWEST
                    && (widest < 0 || widths[i] > widths[widest])) {
                widest = i;
            }
        }
        return widest;
    }

    private static String line(List<String> row, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            String cell = Printable.shortened(row.get(i), widths[i]);
            line.append(cell);
            if (i < widths.length - 1) {
                line.append(" ".repeat(widths[i] - Printable.width(cell) + GAP));
            }
        }
        return line.toString().stripTrailing();
    }
}
