package dev.holdfast.cli.console;

/** Writes JSON in one line. A larger library would cost more to load than all else. Not thread-safe. */
public final class Json {
    private final StringBuilder text = new StringBuilder();

    /** Whether the next value or key of the open object or array is preceded by a comma. */
    private boolean comma;

    public Json beginObject() {
        return open('{');
    }

    public Json endObject() {
        return close('}');
    }

    public Json beginArray() {
        return open('[');
    }

    public Json endArray() {
        return close(']');
    }

    public Json key(String key) {
        separate();
        quote(key);
        text.append(':');
        comma = false;
        return this;
    }

    public Json value(String value) {
        separate();
        quote(value);
        comma = true;
        return this;
    }

    public Json value(long value) {
        return raw(Long.toString(value));
    }

    public Json value(boolean value) {
        return raw(Boolean.toString(value));
    }

    public Json nullValue() {
        return raw("null");
    }

    @Override
    public String toString() {
        return text.toString();
    }

    private Json raw(String literal) {
        separate();
        text.append(literal);
        comma = true;
        return this;
    }

    private Json open(char bracket) {
        separate();
        text.append(bracket);
        comma = false;
        return this;
    }

    private Json close(char bracket) {
        text.append(bracket);
        comma = true;
        return this;
    }

    private void separate() {
        if (comma) {
            text.append(',');
        }
    }

    /** Escapes what JSON demands, and everything outside of printable ASCII, so that no consumer can misread it. */
    private void quote(String value) {
        text.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            switch (c) {
                case '"' -> text.append("\\\"");
                case '\\' -> text.append("\\\\");
                case '\n' -> text.append("\\n");
                case '\r' -> text.append("\\r");
                case '\t' -> text.append("\\t");
                default -> {
                    if (c < ' ' || c > '~') {
                        text.append(String.format("\\u%04x", (int) c));
                    } else {
                        text.append(c);
                    }
                }
            }
        }
        text.append('"');
    }
}
