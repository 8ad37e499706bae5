package dev.holdfast.spring.locked;

import java.nio.charset.StandardCharsets;

/** Writes a key as a part of a lock's name: letters, digits and {@code - _ . @} as they are, the rest in percent signs. */
public final class KeyEncoding {
    private static final String PLAIN = "-_.@";

    private KeyEncoding() {}

    /**
     * Encodes a key.
     *
     * @param key the key
     * @return the same for the same key only
     */
    public static String encode(String key) {
        StringBuilder to = new StringBuilder();
        key.codePoints().forEach(character -> {
            if (isPlain(character)) {
                to.appendCodePoint(character);
                return;
            }
            for (byte each : Character.toString(character).getBytes(StandardCharsets.UTF_8)) {
                to.append('%').append(digit(each >> 4)).append(digit(each));
            }
        });
        return to.toString();
    }

    static boolean isPlain(int character) {
        return Character.isLetterOrDigit(character) || PLAIN.indexOf(character) >= 0;
    }

    private static char digit(int bits) {
        return Character.toUpperCase(Character.forDigit(bits & 0xF, 16));
    }
}
