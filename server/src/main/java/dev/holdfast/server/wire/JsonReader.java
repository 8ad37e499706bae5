package dev.holdfast.server.wire;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads JSON from strangers, strictly: one value, nothing behind it, no name twice, whole numbers only, a few levels at
 * most. The caller limits the length. Objects become maps, arrays lists, numbers longs.
 */
public final class JsonReader {
    private static final int DEEPEST = 16;
    private static final int MOST_DIGITS = 18;
    private static final int HEX = 16;
    private static final int HEX_DIGITS = 4;

    private final String text;
    private int at;

    private JsonReader(String text) {
        this.text = text;
    }

    /**
     * Reads an object.
     *
     * @param text the JSON
     * @return its members, in order
     * @throws IllegalArgumentException that says what is wrong and where
     */
    public static Map<String, @Nullable Object> readObject(String text) {
        JsonReader reader = new JsonReader(text);
        reader.skipSpace();
        if (reader.peek() != '{') {
            throw reader.wrong("the body must be a JSON object");
        }
        Map<String, @Nullable Object> read = reader.object(1);
        reader.skipSpace();
        if (reader.at < text.length()) {
            throw reader.wrong("there is something behind the JSON object");
        }
        return read;
    }

    private @Nullable Object value(int depth) {
        if (depth > DEEPEST) {
            throw wrong("the JSON has more than " + DEEPEST + " levels");
        }
        skipSpace();
        char next = peek();
        switch (next) {
            case '{':
                return object(depth);
            case '[':
                return array(depth);
            case '"':
                return string();
            case 't':
                return word("true", Boolean.TRUE);
            case 'f':
                return word("false", Boolean.FALSE);
            case 'n':
                return word("null", null);
            default:
                return number();
        }
    }

    private Map<String, @Nullable Object> object(int depth) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        at++;
        skipSpace();
        if (takes('}')) {
            return members;
        }
        while (true) {
            skipSpace();
            String name = string();
            skipSpace();
            expect(':');
            if (members.containsKey(name)) {
                throw wrong("a member is given twice");
            }
            members.put(name, value(depth + 1));
            skipSpace();
            if (takes('}')) {
                return members;
            }
            expect(',');
        }
    }

    private List<@Nullable Object> array(int depth) {
        List<@Nullable Object> elements = new ArrayList<>();
        at++;
        skipSpace();
        if (takes(']')) {
            return elements;
        }
        while (true) {
            elements.add(value(depth + 1));
            skipSpace();
            if (takes(']')) {
                return elements;
            }
            expect(',');
        }
    }

    private String string() {
        if (peek() != '"') {
            throw wrong("a string is expected");
        }
        at++;
        StringBuilder read = new StringBuilder();
        while (true) {
            char next = take();
            if (next == '"') {
                return read.toString();
            }
            if (next < ' ') {
                throw wrong("a control character in a string has to be escaped");
            }
            read.append(next == '\\' ? escaped() : next);
        }
    }

    private char escaped() {
        char kind = take();
        return switch (kind) {
            case '"', '\\', '/' -> kind;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> unicode();
            default -> throw wrong("there is no such escape");
        };
    }

    private char unicode() {
        int code = 0;
        for (int i = 0; i < HEX_DIGITS; i++) {
            char digit = take();
            // Character.digit() also knows the digits of other scripts.
            int value = digit < 128 ? Character.digit(digit, HEX) : -1;
            if (value < 0) {
                throw wrong("\\u needs four hexadecimal digits");
            }
            code = code * HEX + value;
        }
        return (char) code;
    }

    private Long number() {
        int from = at;
        takes('-');
        int digits = at;
        while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
            at++;
        }
        int count = at - digits;
        if (count == 0) {
            throw wrong("a JSON value is expected");
        }
        if (count > 1 && text.charAt(digits) == '0') {
            throw wrong("a number does not begin with 0");
        }
        if (count > MOST_DIGITS || (at < text.length() && ".eE".indexOf(text.charAt(at)) >= 0)) {
            throw wrong("only whole numbers of at most " + MOST_DIGITS + " digits are expected; a token is a string");
        }
        return Long.valueOf(text.substring(from, at));
    }

    private @Nullable Object word(String word, @Nullable Object meaning) {
        if (!text.startsWith(word, at)) {
            throw wrong("a JSON value is expected");
        }
        at += word.length();
        return meaning;
    }

    private void skipSpace() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private char peek() {
        if (at >= text.length()) {
            throw wrong("the JSON ends too early");
        }
        return text.charAt(at);
    }

    private char take() {
        char next = peek();
        at++;
        return next;
    }

    private boolean takes(char wanted) {
        if (at < text.length() && text.charAt(at) == wanted) {
            at++;
            return true;
        }
        return false;
    }

    private void expect(char wanted) {
        if (peek() != wanted) {
            throw wrong("'" + wanted + "' is expected");
        }
        at++;
    }

    /** Does not quote what was read: it may be a secret, or hostile. */
    private IllegalArgumentException wrong(String what) {
        return new IllegalArgumentException("malformed JSON at character " + (at + 1) + ": " + what);
    }
}
