package dev.holdfast.cli.top;

import dev.holdfast.cli.console.Durations;
import java.time.Duration;
import java.util.Comparator;

/** The columns of the list, each with the key that sorts by it. Largest first where the largest is what one looks for. */
enum Column {
    NAME('n', Comparator.comparing(row -> row.view().name())),
    KIND('k', Comparator.comparing(Row::kind)),
    HOLDER('h', Comparator.comparing(Row::holder)),
    TOKEN('t', Comparator.comparingLong(Row::token).reversed()),
    SINCE('s', Comparator.comparing(Row::age).reversed()),
    LEFT('l', Comparator.comparing(row -> row.left().orElse(Duration.ofDays(Integer.MAX_VALUE)))),
    WAIT('w', Comparator.comparingInt(Row::waiters).reversed());

    private final char key;
    private final Comparator<Row> order;

    Column(char key, Comparator<Row> order) {
        this.key = key;
        this.order = order;
    }

    char key() {
        return key;
    }

    /** Among equals by name, so that rows do not jump. */
    Comparator<Row> order(boolean reversed) {
        return (reversed ? order.reversed() : order)
                .thenComparing(row -> row.view().name());
    }

    String cell(Row row) {
        return switch (this) {
            case NAME -> row.name();
            case KIND -> row.kind();
            case HOLDER -> row.holder().isEmpty() ? "-" : row.holder();
            case TOKEN -> row.token() == 0 ? "-" : Long.toString(row.token());
            case SINCE -> Durations.age(row.age());
            case LEFT -> row.left().map(Durations::age).orElse("-");
            case WAIT -> Integer.toString(row.waiters());
        };
    }

    boolean isFlexible() {
        return this == NAME || this == HOLDER;
    }

    boolean isNumber() {
        return this == TOKEN || this == SINCE || this == LEFT || this == WAIT;
    }
}
