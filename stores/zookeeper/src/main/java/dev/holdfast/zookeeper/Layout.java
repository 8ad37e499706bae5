package dev.holdfast.zookeeper;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;

/**
 * Where things are in the tree: {@code BASE/locks/NAME/…}. A name is one path element, percent-encoded where ZooKeeper
 * does not allow it as it is. Immutable.
 *
 * @param base an absolute path without a slash at its end, not the root
 */
record Layout(String base) {
    private static final String PLAIN = "-_.:,;=+@~!$&'()*[]{}<>|^#? \"`\\";
    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    /** What holds the node of every name in use. */
    String locks() {
        return base + "/locks";
    }

    /** The node of a name. */
    String lock(String name) {
        return locks() + "/" + encode(name);
    }

    /** The base and everything above it, topmost first. */
    List<String> ancestry() {
        List<String> paths = new java.util.ArrayList<>();
        for (int slash = base.indexOf('/', 1); slash > 0; slash = base.indexOf('/', slash + 1)) {
            paths.add(base.substring(0, slash));
        }
        paths.add(base);
        return List.copyOf(paths);
    }

    static String encode(String name) {
        if (name.equals(".") || name.equals("..")) {
            return name.replace(".", "%2E");
        }
        StringBuilder encoded = null;
        for (int i = 0; i < name.length(); i++) {
            if (!isPlain(name.charAt(i))) {
                encoded = new StringBuilder(name.length() + 16).append(name, 0, i);
                byte[] rest = name.substring(i).getBytes(StandardCharsets.UTF_8);
                for (byte next : rest) {
                    append(encoded, next);
                }
                break;
            }
        }
        return encoded == null ? name : encoded.toString();
    }

    static String decode(String element) {
        if (element.indexOf('%') < 0) {
            return element;
        }
        byte[] bytes = new byte[element.length()];
        int length = 0;
        for (int i = 0; i < element.length(); i++) {
            char next = element.charAt(i);
            boolean escaped = next == '%' && i + 2 < element.length() && isHex(element, i + 1);
            bytes[length++] = escaped ? (byte) HexFormat.fromHexDigits(element, i + 1, i + 3) : (byte) next;
            i += escaped ? 2 : 0;
        }
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }

    private static boolean isHex(String text, int at) {
        return HexFormat.isHexDigit(text.charAt(at)) && HexFormat.isHexDigit(text.charAt(at + 1));
    }

    private static void append(StringBuilder encoded, byte next) {
        if (next >= 0 && isPlain((char) next)) {
            encoded.append((char) next);
        } else {
            encoded.append('%').append(HEX.toHexDigits(next).toUpperCase(Locale.ROOT));
        }
    }

    private static boolean isPlain(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || PLAIN.indexOf(c) >= 0;
    }
}
