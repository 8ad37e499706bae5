package dev.holdfast.cli.top;

import dev.holdfast.cli.console.Printable;
import java.util.ArrayList;
import java.util.List;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStyle;

/**
 * Draws what the state says, for a screen of a certain size: title, what is wrong or filtered, heading, locks, answer,
 * keys. Every line fits the width. Not thread-safe.
 */
final class Screen {
    private static final int FEWEST_ROWS = 7;
    private static final int FEWEST_COLUMNS = 40;
    /** Title, trouble, heading, message and keys. */
    private static final int FRAME = 5;

    private static final AttributedStyle PLAIN = AttributedStyle.DEFAULT;
    private static final AttributedStyle BOLD = PLAIN.bold();
    private static final AttributedStyle SELECTED = PLAIN.inverse();

    private final TopState state;
    private final int height;
    private final int width;
    private final boolean colour;
    private final List<AttributedString> lines = new ArrayList<>();

    Screen(TopState state, int height, int width, boolean colour) {
        this.state = state;
        this.height = height;
        this.width = width;
        this.colour = colour;
    }

    List<AttributedString> lines() {
        if (height < FEWEST_ROWS || width < FEWEST_COLUMNS) {
            add("holdfast top needs " + FEWEST_COLUMNS + " columns and " + FEWEST_ROWS + " rows; q quits", PLAIN);
            return lines;
        }
        int room = height - FRAME;
        state.setPage(room);
        add(title(), BOLD);
        add(second(), state.trouble().isEmpty() ? PLAIN : red());
        if (shown() instanceof Mode.Detail detail) {
            detail(detail, room + 1);
        } else {
            list(room);
        }
        while (lines.size() < height - 2) {
            add("", PLAIN);
        }
        question();
        return lines;
    }

    /** {@return what stands behind a question} */
    private Mode shown() {
        Mode mode = state.mode();
        if (mode instanceof Mode.Reason reason) {
            return reason.back();
        }
        return mode instanceof Mode.Confirmation confirmation ? confirmation.back() : mode;
    }

    private String title() {
        if (!state.answered()) {
            return "holdfast top   asking the store ...";
        }
        String most = state.total() >= StoreWatch.MOST_NAMES ? "the first " : "";
        long old = state.secondsSinceAnswer();
        return "holdfast top   " + most + count(state.total(), "lock") + ", " + count(state.waiters(), "waiter")
                + (old < 3 ? "" : "   as of " + old + "s ago");
    }

    private static String count(int number, String what) {
        return number + " " + what + (number == 1 ? "" : "s");
    }

    private String second() {
        if (!state.trouble().isEmpty()) {
            return "STORE: " + state.trouble();
        }
        return state.filter().isEmpty() || state.mode() instanceof Mode.Filtering ? "" : filter("");
    }

    private String filter(String cursor) {
        return "filter: " + SafeText.of(state.filter()) + cursor + "   "
                + state.rows().size() + " of " + state.total();
    }

    private void list(int room) {
        List<Row> rows = state.rows();
        ListTable table = new ListTable(rows, width);
        add(table.heading(state.column(), state.reversed()), BOLD);
        int first = Math.max(0, Math.min(state.selected() - room / 2, rows.size() - room));
        for (int i = first; i < Math.min(rows.size(), first + room); i++) {
            boolean selected = i == state.selected();
            String line = table.line(rows.get(i), selected);
            add(selected ? padded(line) : line, selected ? SELECTED : PLAIN);
        }
        if (rows.isEmpty() && state.answered()) {
            add(state.total() == 0 ? "  No lock is held." : "  No lock passes the filter.", PLAIN);
        }
    }

    private void detail(Mode.Detail detail, int room) {
        List<String> all = DetailText.of(detail.name(), state.find(detail.name()), width);
        int last = Math.max(0, all.size() - room);
        state.limitDetail(detail, last);
        int first = Math.min(detail.top(), last);
        all.subList(first, Math.min(all.size(), first + room)).forEach(line -> add(line, PLAIN));
        if (last > 0) {
            lines.set(
                    0,
                    fitted(title() + "   lines " + (first + 1) + " to " + (first + room) + " of " + all.size(), BOLD));
        }
    }

    /** The last two lines: what is asked or was answered, and which keys there are. */
    private void question() {
        Mode mode = state.mode();
        if (mode instanceof Mode.Reason reason) {
            add(
                    "Evict " + Printable.shortened(reason.victim().who(), width / 2) + " from "
                            + SafeText.of(reason.victim().name()),
                    yellow());
            input("Reason: ", reason.reason(), "   Enter goes on, Esc gives up");
        } else if (mode instanceof Mode.Confirmation confirmation) {
            add(
                    "Take "
                            + Printable.shortened(
                                    SafeText.of(confirmation.victim().name()), width / 3) + " away from "
                            + confirmation.victim().who() + "?",
                    yellow());
            input("Type yes and Enter: ", confirmation.typed(), "   Esc gives up");
        } else {
            add(mode instanceof Mode.Filtering ? filter("_") : state.message(), yellow());
            add(
                    mode instanceof Mode.Detail
                            ? "Esc back  Up/Down scroll  e evict  q quit"
                            : mode instanceof Mode.Filtering
                                    ? "type a part of a name or holder  Enter keep  Esc clear"
                                    : "q quit  / filter  n k h t s l w sort  r reverse  Enter detail  e evict",
                    PLAIN);
        }
    }

    /** The end of what is typed stays visible. */
    private void input(String prompt, String typed, String advice) {
        String safe = SafeText.of(typed);
        String line = prompt + safe + "_";
        if (Printable.width(line + advice) < width) {
            line += advice;
        }
        int from = 0;
        while (Printable.width(line) - Printable.width(safe.substring(0, from)) >= width && from < safe.length()) {
            from = safe.offsetByCodePoints(from, 1);
        }
        add(prompt + line.substring(prompt.length() + from), BOLD);
    }

    private String padded(String line) {
        return line + " ".repeat(Math.max(0, width - Printable.width(line)));
    }

    private void add(String text, AttributedStyle style) {
        lines.add(fitted(text, style));
    }

    private AttributedString fitted(String text, AttributedStyle style) {
        return new AttributedString(Printable.shortened(text, width), style).columnSubSequence(0, width);
    }

    private AttributedStyle red() {
        return colour ? BOLD.foreground(AttributedStyle.RED) : BOLD;
    }

    private AttributedStyle yellow() {
        return colour ? BOLD.foreground(AttributedStyle.YELLOW) : BOLD;
    }
}
