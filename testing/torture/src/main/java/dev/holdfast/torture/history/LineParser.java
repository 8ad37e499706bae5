package dev.holdfast.torture.history;

import java.util.Map;

/** Reads a flat JSON object. Used once, by one thread. */
final class LineParser {
    private static final int HEX_DIGITS = 4;
    private static final int HEX = 16;

    private final String json;
    private int at;

    LineParser(String json) {
        this.json = json;
    }

    void readInto(Map<String, Object> fields) {
        expect('{');
        if (peek() == '}') {
            return;
        }
        do {
            String key = text();
            expect(':');
            fields.put(key, value());
        } while (next() == ',');
    }

    private Object value() {
        char first = peek();
        if (first == '"') {
            return text();
        }
        int from = at;
        while (at < json.length() && ",}".indexOf(json.charAt(at)) < 0) {
            at++;
        }
        String word = json.substring(from, at).strip();
        return switch (word) {
            case "true" -> true;
            case "false" -> false;
            default -> Long.valueOf(word);
        };
    }

    private String text() {
        expect('"');
        StringBuilder text = new StringBuilder();
        for (char c = json.charAt(at++); c != '"'; c = json.charAt(at++)) {
            text.append(c == '\\' ? escaped() : c);
        }
        return text.toString();
    }

    private char escaped() {
        char c = json.charAt(at++);
        if (c != 'u') {
            return c;
        }
        at += HEX_DIGITS;
        return (char) Integer.parseInt(json.substring(at - HEX_DIGITS, at), HEX);
    }

    private char peek() {
        while (json.charAt(at) == ' ') {
            at++;
        }
        return json.charAt(at);
    }

    private char next() {
        char c = peek();
        at++;
        return c;
    }

    private void expect(char wanted) {
        if (next() != wanted) {
            throw new IllegalArgumentException("not a line of a history at " + at + ": " + json);
        }
    }
}
