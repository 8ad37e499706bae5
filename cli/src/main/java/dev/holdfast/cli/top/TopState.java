package dev.holdfast.cli.top;

import dev.holdfast.LockView;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;

/**
 * What the view shows and what keys do to it. The selection belongs to a name, so it stays with its lock when others come
 * and go. Used by the thread that draws.
 */
final class TopState {
    private static final int LONGEST_FILTER = 200;
    private static final int LONGEST_REASON = 500;
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    private final LongSupplier nanos;
    private final BiConsumer<Mode.Victim, String> evict;

    private Mode mode = new Mode.Browsing();
    private List<Row> all = List.of();
    private List<Row> rows = List.of();
    private Column column = Column.NAME;
    private boolean reversed;
    private String filter = "";
    private int selected;
    private int page = 1;
    private String message = "";

    /** What is wrong with the store; empty while it answers. */
    private String trouble = "";

    private long lastAnswer;
    private boolean answered;

    /**
     * Begins without locks.
     *
     * @param nanos a monotonic clock
     * @param evict has an eviction made, elsewhere
     */
    TopState(LongSupplier nanos, BiConsumer<Mode.Victim, String> evict) {
        this.nanos = nanos;
        this.evict = evict;
        this.lastAnswer = nanos.getAsLong();
    }

    Mode mode() {
        return mode;
    }

    /** {@return the locks that pass the filter, in order} */
    List<Row> rows() {
        return rows;
    }

    int total() {
        return all.size();
    }

    int waiters() {
        return all.stream().mapToInt(Row::waiters).sum();
    }

    Column column() {
        return column;
    }

    boolean reversed() {
        return reversed;
    }

    String filter() {
        return filter;
    }

    int selected() {
        return selected;
    }

    String message() {
        return message;
    }

    boolean answered() {
        return answered;
    }

    /** {@return what is wrong with the store; empty if nothing is} */
    String trouble() {
        return trouble;
    }

    /** {@return how old the data is} */
    long secondsSinceAnswer() {
        return (nanos.getAsLong() - lastAnswer) / NANOS_PER_SECOND;
    }

    /** How many rows fit the screen, which is how far a page key goes. */
    void setPage(int rowsPerPage) {
        page = Math.max(1, rowsPerPage);
    }

    Optional<Row> find(String name) {
        return all.stream().filter(row -> row.view().name().equals(name)).findFirst();
    }

    void see(List<LockView> seen) {
        answered = true;
        trouble = "";
        lastAnswer = nanos.getAsLong();
        all = seen.stream().map(Row::of).toList();
        arrange();
    }

    void fail(String sentence) {
        trouble = SafeText.of(sentence);
    }

    void tell(String sentence) {
        message = sentence;
    }

    /** {@return whether to go on} */
    boolean press(TopEvent.Pressed pressed) {
        if (mode instanceof Mode.Browsing) {
            return browse(pressed);
        }
        if (mode instanceof Mode.Filtering) {
            typeFilter(pressed);
        } else if (mode instanceof Mode.Detail detail) {
            return look(detail, pressed);
        } else if (mode instanceof Mode.Reason reason) {
            typeReason(reason, pressed);
        } else if (mode instanceof Mode.Confirmation confirmation) {
            confirm(confirmation, pressed);
        }
        return true;
    }

    private boolean browse(TopEvent.Pressed pressed) {
        message = "";
        switch (pressed.key()) {
            case UP -> select(selected - 1);
            case DOWN -> select(selected + 1);
            case PAGE_UP -> select(selected - page);
            case PAGE_DOWN -> select(selected + page);
            case HOME -> select(0);
            case END -> select(rows.size() - 1);
            case ESCAPE -> setFilter("");
            case ENTER ->
                selectedRow().ifPresent(row -> mode = new Mode.Detail(row.view().name(), 0));
            case TEXT -> {
                return command(pressed.text());
            }
            default -> {}
        }
        return true;
    }

    private boolean command(String text) {
        switch (text) {
            case "q" -> {
                return false;
            }
            case "/" -> mode = new Mode.Filtering();
            case "r" -> sort(column, !reversed);
            case "e" -> selectedRow().ifPresent(this::askReason);
            default -> {
                for (Column each : Column.values()) {
                    if (text.equals(String.valueOf(each.key()))) {
                        sort(each, each == column && !reversed);
                    }
                }
            }
        }
        return true;
    }

    private void typeFilter(TopEvent.Pressed pressed) {
        switch (pressed.key()) {
            case ENTER -> mode = new Mode.Browsing();
            case ESCAPE -> {
                setFilter("");
                mode = new Mode.Browsing();
            }
            case UP -> select(selected - 1);
            case DOWN -> select(selected + 1);
            default -> setFilter(typed(filter, pressed, LONGEST_FILTER));
        }
    }

    private boolean look(Mode.Detail detail, TopEvent.Pressed pressed) {
        message = "";
        switch (pressed.key()) {
            case UP -> scroll(detail, -1);
            case DOWN -> scroll(detail, 1);
            case PAGE_UP -> scroll(detail, -page);
            case PAGE_DOWN -> scroll(detail, page);
            case HOME -> mode = new Mode.Detail(detail.name(), 0);
            case ESCAPE, ENTER, BACKSPACE -> mode = new Mode.Browsing();
            case TEXT -> {
                if (pressed.text().equals("e")) {
                    find(detail.name()).ifPresent(this::askReason);
                }
                return !pressed.text().equals("q");
            }
            default -> {}
        }
        return true;
    }

    /** How far it may go is known when it is drawn. */
    private void scroll(Mode.Detail detail, int lines) {
        mode = new Mode.Detail(detail.name(), Math.max(0, detail.top() + lines));
    }

    /** Called when fewer lines are there than the detail was scrolled to. */
    void limitDetail(Mode.Detail detail, int last) {
        if (detail.top() > last) {
            mode = new Mode.Detail(detail.name(), last);
        }
    }

    private void askReason(Row row) {
        List<LockView.Holder> holders = row.view().holders();
        if (holders.isEmpty()) {
            message = "Nobody holds " + row.name() + ".";
            return;
        }
        List<Long> tokens = holders.stream().map(LockView.Holder::token).toList();
        mode = new Mode.Reason(new Mode.Victim(row.view().name(), row.holder(), tokens), "", mode);
    }

    private void typeReason(Mode.Reason asked, TopEvent.Pressed pressed) {
        switch (pressed.key()) {
            case ESCAPE -> giveUp(asked.back());
            case ENTER ->
                mode = asked.reason().isBlank()
                        ? asked
                        : new Mode.Confirmation(asked.victim(), asked.reason(), "", asked.back());
            default ->
                mode = new Mode.Reason(asked.victim(), typed(asked.reason(), pressed, LONGEST_REASON), asked.back());
        }
    }

    private void confirm(Mode.Confirmation asked, TopEvent.Pressed pressed) {
        switch (pressed.key()) {
            case ESCAPE -> giveUp(asked.back());
            case ENTER -> {
                if (asked.typed().strip().toLowerCase(Locale.ROOT).equals("yes")) {
                    message = "Evicting ...";
                    mode = asked.back();
                    evict.accept(asked.victim(), asked.reason());
                } else {
                    giveUp(asked.back());
                }
            }
            default ->
                mode = new Mode.Confirmation(
                        asked.victim(), asked.reason(), typed(asked.typed(), pressed, LONGEST_FILTER), asked.back());
        }
    }

    private void giveUp(Mode back) {
        message = "Nobody was evicted.";
        mode = back;
    }

    private static String typed(String before, TopEvent.Pressed pressed, int longest) {
        return switch (pressed.key()) {
            case TEXT -> before.length() + pressed.text().length() > longest ? before : before + pressed.text();
            case BACKSPACE ->
                before.isEmpty() ? before : before.substring(0, before.offsetByCodePoints(before.length(), -1));
            case CLEAR -> "";
            default -> before;
        };
    }

    private Optional<Row> selectedRow() {
        return selected < rows.size() ? Optional.of(rows.get(selected)) : Optional.empty();
    }

    private void select(int index) {
        selected = Math.max(0, Math.min(index, rows.size() - 1));
    }

    private void sort(Column by, boolean reverse) {
        column = by;
        reversed = reverse;
        arrange();
    }

    private void setFilter(String text) {
        filter = text;
        arrange();
    }

    private void arrange() {
        Optional<String> name = selectedRow().map(row -> row.view().name());
        String wanted = filter.toLowerCase(Locale.ROOT);
        rows = all.stream()
                .filter(row -> row.matches(wanted))
                .sorted(column.order(reversed))
                .toList();
        int same = -1;
        for (int i = 0; i < rows.size() && same < 0 && name.isPresent(); i++) {
            same = rows.get(i).view().name().equals(name.get()) ? i : -1;
        }
        select(same >= 0 ? same : selected);
    }
}
