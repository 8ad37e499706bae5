package dev.holdfast.server.wire;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a request asks for, decoded once and strictly, so that no two parts of the server can read it differently. A
 * segment of the path is never empty, {@code .} or {@code ..} as it was sent; an encoded slash is part of its segment.
 *
 * @param segments the decoded segments of the path
 * @param query the decoded parameters
 */
public record Target(List<String> segments, Map<String, String> query) {
    private static final int HEX = 16;

    /** Copies what it is given. */
    public Target {
        segments = List.copyOf(segments);
        query = Map.copyOf(query);
    }

    /**
     * Reads the target of a request line.
     *
     * @param raw the target as it was sent
     * @return its parts
     * @throws Problem if it is malformed
     */
    public static Target parse(String raw) {
        if (!raw.startsWith("/") || raw.indexOf('#') >= 0) {
            throw malformed("the path must begin with a slash");
        }
        int question = raw.indexOf('?');
        String path = question < 0 ? raw : raw.substring(0, question);
        List<String> segments = new ArrayList<>();
        if (path.length() > 1) {
            for (String segment : path.substring(1).split("/", -1)) {
                if (segment.isEmpty() || segment.equals(".") || segment.equals("..")) {
                    throw malformed("the path has an empty segment, '.' or '..'; write '%2F' for a slash at the end");
                }
                segments.add(decode(segment, false));
            }
        }
        Map<String, String> query = new LinkedHashMap<>();
        if (question >= 0 && question < raw.length() - 1) {
            for (String pair : raw.substring(question + 1).split("&", -1)) {
                int equals = pair.indexOf('=');
                String key = decode(equals < 0 ? pair : pair.substring(0, equals), true);
                String value = equals < 0 ? "" : decode(pair.substring(equals + 1), true);
                if (query.putIfAbsent(key, value) != null) {
                    throw malformed("a parameter of the query is given twice");
                }
            }
        }
        return new Target(segments, query);
    }

    private static String decode(String text, boolean plusIsSpace) {
        if (text.indexOf('%') < 0 && text.indexOf('+') < 0 && text.chars().allMatch(c -> c > ' ' && c < 127)) {
            return text;
        }
        ByteBuffer bytes = ByteBuffer.allocate(text.length());
        for (int i = 0; i < text.length(); i++) {
            char next = text.charAt(i);
            if (next == '%') {
                if (i + 2 >= text.length()) {
                    throw malformed("a percent sign needs two hexadecimal digits");
                }
                bytes.put((byte) (digit(text.charAt(i + 1)) * HEX + digit(text.charAt(i + 2))));
                i += 2;
            } else if (next <= ' ' || next >= 127) {
                throw malformed("a character outside of ASCII has to be percent-encoded, as UTF-8");
            } else {
                bytes.put((byte) (next == '+' && plusIsSpace ? ' ' : next));
            }
        }
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(bytes.flip()).toString();
        } catch (CharacterCodingException broken) {
            throw malformed("the path is not UTF-8");
        }
    }

    private static int digit(char c) {
        int value = c < 128 ? Character.digit(c, HEX) : -1;
        if (value < 0) {
            throw malformed("a percent sign needs two hexadecimal digits");
        }
        return value;
    }

    private static Problem malformed(String what) {
        return new Problem(Problem.Code.MALFORMED, what);
    }
}
