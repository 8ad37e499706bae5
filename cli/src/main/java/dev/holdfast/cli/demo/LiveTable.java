package dev.holdfast.cli.demo;

import dev.holdfast.cli.console.Printable;
import dev.holdfast.cli.console.Terminal;
import java.util.ArrayList;
import java.util.List;

/**
 * The results of the overselling demonstration. On a terminal the whole table is drawn again and again in its place;
 * elsewhere each row is printed once, when it is complete. Used by one thread.
 */
final class LiveTable {
    private static final String FORM = "%-30s %7s %6s %9s %10s %8s";
    private static final String HEADING = FORM.formatted("HOW", "SOLD", "LEFT", "OVERSOLD", "ORDERS/S", "RETRIES");

    private static final int ROOM_FOR_REASON = 48;

    private final Terminal terminal;
    private final boolean live;
    private final List<String> rows = new ArrayList<>();
    private int drawn;

    /**
     * Begins a table.
     *
     * @param terminal where it is shown
     * @param live whether the cursor can be moved there
     * @param titles of all rows, which show from the beginning if it is live
     */
    LiveTable(Terminal terminal, boolean live, List<String> titles) {
        this.terminal = terminal;
        this.live = live;
        titles.forEach(
                title -> rows.add(FORM.formatted(title, "", "", "", "", "").stripTrailing()));
        if (!live) {
            System.out.println(HEADING);
        }
    }

    /** Shows how far a row is. */
    void progress(int row, String title, long sold, long left) {
        rows.set(row, FORM.formatted(title, sold, left, "", "...", "").stripTrailing());
        draw();
    }

    /** Completes a row. */
    void complete(int row, Sale sale) {
        String oversold = "%9s".formatted(sale.oversold());
        String line = FORM.formatted(
                sale.title(),
                sale.sold(),
                sale.left(),
                sale.oversold(),
                "%.0f".formatted(sale.ordersPerSecond()),
                sale.retries());
        boolean wrong = sale.oversold() > 0;
        rows.set(row, wrong ? line.replace(" " + oversold + " ", " " + terminal.red(oversold) + " ") : line);
        if (live) {
            draw();
        } else {
            System.out.println(rows.get(row));
        }
    }

    /** Says that a row cannot be had. */
    void skip(int row, String title, String why) {
        rows.set(row, "%-30s %s".formatted(title, Printable.shortened(Printable.of(why), ROOM_FOR_REASON)));
        if (live) {
            draw();
        } else {
            System.out.println(rows.get(row));
        }
    }

    private void draw() {
        if (!live) {
            return;
        }
        StringBuilder frame = new StringBuilder();
        if (drawn > 0) {
            frame.append("\u001b[").append(drawn).append('A');
        }
        frame.append(terminal.bold(HEADING)).append("\u001b[K\n");
        rows.forEach(row -> frame.append(row).append("\u001b[K\n"));
        System.out.print(frame);
        System.out.flush();
        drawn = rows.size() + 1;
    }
}
