package dev.holdfast.server.wire;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes JSON so that it is harmless wherever it is put, even into a page. */
public final class Json {
    private Json() {}

    /**
     * Writes a value.
     *
     * @param value a map with strings as keys, an iterable, a string, a number, a boolean or null
     * @return the JSON, on one line
     */
    public static String write(@Nullable Object value) {
        StringBuilder out = new StringBuilder();
        write(out, value);
        return out.toString();
    }

    private static void write(StringBuilder out, @Nullable Object value) {
        if (value == null || value instanceof Number || value instanceof Boolean) {
            out.append(value);
        } else if (value instanceof Map<?, ?> map) {
            char before = '{';
            for (Map.Entry<?, ?> member : map.entrySet()) {
                out.append(before);
                string(out, String.valueOf(member.getKey()));
                out.append(':');
                write(out, member.getValue());
                before = ',';
            }
            out.append(map.isEmpty() ? "{}" : "}");
        } else if (value instanceof Iterable<?> elements) {
            out.append('[');
            String before = "";
            for (Object element : elements) {
                out.append(before);
                write(out, element);
                before = ",";
            }
            out.append(']');
        } else {
            string(out, value.toString());
        }
    }

    private static void string(StringBuilder out, String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char next = text.charAt(i);
            switch (next) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> {
                    if (isDangerous(next)) {
                        out.append(String.format("\\u%04x", (int) next));
                    } else {
                        out.append(next);
                    }
                }
            }
        }
        out.append('"');
    }

    /** Control characters, what begins or ends a tag, line separators of JavaScript, halves of pairs, marks of direction. */
    private static boolean isDangerous(char c) {
        return Character.isISOControl(c)
                || c == '<'
                || c == '>'
                || c == '&'
                || (c >= '\u2028' && c <= '\u202e')
                || (c >= '\u2066' && c <= '\u2069')
                || c == '\ufeff'
                || Character.isSurrogate(c);
    }
}
