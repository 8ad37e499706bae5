package dev.holdfast.torture.history;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One line of a history or of the talk with the referee: a flat JSON object of texts, whole numbers and truth values. Not
 * thread-safe.
 */
public final class Line {
    private final Map<String, Object> fields = new LinkedHashMap<>();

    private Line() {}

    /**
     * Begins a line.
     *
     * @param event what happened; the field {@code e}
     * @return the line
     */
    public static Line of(String event) {
        return new Line().with("e", event);
    }

    /**
     * Reads what {@link #toString} wrote.
     *
     * @param json one object
     * @return the line
     */
    public static Line parse(String json) {
        Line line = new Line();
        new LineParser(json).readInto(line.fields);
        return line;
    }

    /**
     * Adds a field.
     *
     * @param key its name
     * @param value a text
     * @return this line
     */
    public Line with(String key, String value) {
        fields.put(key, value);
        return this;
    }

    /**
     * Adds a field.
     *
     * @param key its name
     * @param value a number
     * @return this line
     */
    public Line with(String key, long value) {
        fields.put(key, value);
        return this;
    }

    /**
     * Adds a field.
     *
     * @param key its name
     * @param value a truth value
     * @return this line
     */
    public Line with(String key, boolean value) {
        fields.put(key, value);
        return this;
    }

    /** {@return what happened} */
    public String event() {
        return text("e");
    }

    /**
     * Tells whether a field is there.
     *
     * @param key its name
     * @return true if it is
     */
    public boolean has(String key) {
        return fields.containsKey(key);
    }

    /**
     * Reads a field.
     *
     * @param key its name
     * @return its text, or an empty one
     */
    public String text(String key) {
        return String.valueOf(Objects.requireNonNullElse(fields.get(key), ""));
    }

    /**
     * Reads a field that must be there.
     *
     * @param key its name
     * @return its number
     */
    public long number(String key) {
        if (!(fields.get(key) instanceof Long number)) {
            throw new IllegalArgumentException("no number '" + key + "' in " + this);
        }
        return number;
    }

    /**
     * Reads a field.
     *
     * @param key its name
     * @param otherwise the number if it is not there
     * @return its number
     */
    public long number(String key, long otherwise) {
        return fields.get(key) instanceof Long number ? number : otherwise;
    }

    /**
     * Reads a field.
     *
     * @param key its name
     * @return whether it is there and true
     */
    public boolean is(String key) {
        return Boolean.TRUE.equals(fields.get(key));
    }

    /** {@return the line as JSON} */
    @Override
    public String toString() {
        StringBuilder json = new StringBuilder(160).append('{');
        fields.forEach((key, value) -> {
            json.append(json.length() == 1 ? "" : ",");
            quote(json, key);
            json.append(':');
            append(json, value);
        });
        return json.append('}').toString();
    }

    private static void append(StringBuilder json, @Nullable Object value) {
        if (value instanceof String text) {
            quote(json, text);
        } else {
            json.append(value);
        }
    }

    /**
     * Writes a text as JSON.
     *
     * @param json where to
     * @param text the text
     */
    public static void quote(StringBuilder json, String text) {
        json.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < ' ' || c == '<' || c == '\u2028' || c == '\u2029') {
                json.append(String.format("\\u%04x", (int) c));
            } else {
                json.append(c);
            }
        }
        json.append('"');
    }
}
