package dev.holdfast.cli.top;

import dev.holdfast.cli.console.Printable;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The widths of the columns for all rows, so that they do not change while one scrolls. Names and holders share what is
 * left and are shortened in the middle, and a narrow screen has fewer columns; a token never is, since people copy it. Immutable.
 */
final class ListTable {
    private static final int MARGIN = 2;
    private static final int NARROWEST = 10;

    /** What a narrow screen does without, first this, then that. */
    private static final List<Column> LESS_IMPORTANT = List.of(Column.KIND, Column.LEFT, Column.SINCE, Column.TOKEN);

    private final Map<Column, Integer> widths = new EnumMap<>(Column.class);

    ListTable(List<Row> rows, int room) {
        for (Column column : Column.values()) {
            // Room for the mark of the order.
            int width = column.name().length() + 1;
            for (Row row : rows) {
                width = Math.max(width, Printable.width(column.cell(row)));
            }
            widths.put(column, width);
        }
        int excess = MARGIN - room;
        for (int width : widths.values()) {
            excess += width + 1;
        }
        for (Column each : LESS_IMPORTANT) {
            if (excess > flexible()) {
                excess -= widths.getOrDefault(each, 0) + 1;
                widths.remove(each);
            }
        }
        for (; excess > 0 && flexible() > 0; excess--) {
            Column widest = width(Column.NAME) >= width(Column.HOLDER) ? Column.NAME : Column.HOLDER;
            widths.put(widest, width(widest) - 1);
        }
    }

    /** How many columns names and holders can give away. */
    private int flexible() {
        return Math.max(0, width(Column.NAME) - NARROWEST) + Math.max(0, width(Column.HOLDER) - NARROWEST);
    }

    private int width(Column column) {
        return widths.getOrDefault(column, 0);
    }

    String heading(Column sorted, boolean reversed) {
        StringBuilder line = new StringBuilder(" ".repeat(MARGIN));
        for (Column column : widths.keySet()) {
            String mark = column != sorted ? "" : reversed ? "-" : "+";
            append(line, column, column.name() + mark);
        }
        return line.toString().stripTrailing();
    }

    String line(Row row, boolean selected) {
        StringBuilder line = new StringBuilder(selected ? "> " : " ".repeat(MARGIN));
        for (Column column : widths.keySet()) {
            append(line, column, column.cell(row));
        }
        return line.toString().stripTrailing();
    }

    private void append(StringBuilder line, Column column, String text) {
        int width = width(column);
        String cell = Printable.shortened(text, width);
        String pad = " ".repeat(Math.max(0, width - Printable.width(cell)));
        line.append(column.isNumber() ? pad + cell : cell + pad).append(' ');
    }
}
