package dev.holdfast.jdbc;

import java.math.BigDecimal;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A row as it was read. The case of letters in names of columns does not matter. Immutable and thread-safe. */
public final class Row {
    private final Map<String, @Nullable Object> values;
    private final Map<String, @Nullable Object> compared;

    Row(Map<String, @Nullable Object> values, Map<String, @Nullable Object> compared) {
        this.values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
        this.compared = Collections.unmodifiableMap(new LinkedHashMap<>(compared));
    }

    /**
     * Tells the value of a column.
     *
     * @param column its name
     * @return what the driver made of it
     * @throws IllegalArgumentException if there is no such column
     */
    public @Nullable Object value(String column) {
        String key = column.toLowerCase(Locale.ROOT);
        if (!values.containsKey(key)) {
            throw new IllegalArgumentException("there is no column " + column + " in " + values.keySet());
        }
        return values.get(key);
    }

    /**
     * Tells a whole number.
     *
     * @param column its name
     * @return the number
     * @throws IllegalStateException if it is null or not a whole number
     */
    public long number(String column) {
        try {
            return decimal(column).longValueExact();
        } catch (ArithmeticException broken) {
            throw new IllegalStateException("column " + column + " is not a whole number", broken);
        }
    }

    /**
     * Tells a number.
     *
     * @param column its name
     * @return the number
     * @throws IllegalStateException if it is null or not a number
     */
    public BigDecimal decimal(String column) {
        if (value(column) instanceof Number number) {
            return new BigDecimal(number.toString());
        }
        throw new IllegalStateException("column " + column + " is not a number");
    }

    /**
     * Tells a text.
     *
     * @param column its name
     * @return the text, or null
     */
    public @Nullable String text(String column) {
        Object value = value(column);
        return value == null ? null : value.toString();
    }

    /**
     * Tells what is compared when the row is written: the version, the time of the last change as a text, or the values.
     * It can be kept, in a form for example, and given to {@link OptimisticTable#replace} later.
     *
     * @return the columns that are compared, and their values as they were read
     */
    public Map<String, @Nullable Object> compared() {
        return compared;
    }

    /** The row after a change. */
    Row with(Map<String, @Nullable Object> changed, Map<String, @Nullable Object> nowCompared) {
        Map<String, @Nullable Object> all = new HashMap<>(values);
        all.putAll(changed);
        all.putAll(nowCompared);
        return new Row(all, nowCompared);
    }
}
