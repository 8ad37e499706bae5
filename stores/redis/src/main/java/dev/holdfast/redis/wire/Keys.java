package dev.holdfast.redis.wire;

import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;

/**
 * The keys of lock names: {@code prefix:{name}}, and further keys with a suffix behind it. A name's braces are encoded,
 * so that the whole of it, and nothing else, decides the slot. Immutable.
 */
public final class Keys {
    private static final String RESERVED = "%{}";
    private static final String GLOB = "\\*?[]";

    private final String opening;
    private final String channels;

    public Keys(String prefix) {
        this.opening = prefix + ":{";
        this.channels = prefix + ":to:";
    }

    /** {@return the key of a name's head} */
    public byte[] head(String name) {
        return bytes(opening + encode(name) + "}");
    }

    /** {@return whether a key that matches a pattern is a head, and not a key beside one that happens to end alike} */
    public boolean isHead(byte[] key) {
        String text = new String(key, StandardCharsets.UTF_8);
        return text.indexOf('}', opening.length()) == text.length() - 1;
    }

    /** {@return the name whose head a key is} */
    public String name(byte[] head) {
        String key = new String(head, StandardCharsets.UTF_8);
        return decode(key.substring(opening.length(), key.length() - 1));
    }

    /** {@return the channel on which one client is told things} */
    public String channel(String clientId) {
        return channels + clientId;
    }

    /** {@return a pattern for the heads of all names with a prefix} */
    public byte[] pattern(String namePrefix) {
        return bytes(glob(opening) + glob(encode(namePrefix)) + "*}");
    }

    public static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** {@return the digits of a number; nothing if there is none} */
    public static byte[] bytesOf(OptionalLong number) {
        return bytes(number.isPresent() ? Long.toString(number.getAsLong()) : "");
    }

    private static String encode(String name) {
        StringBuilder encoded = null;
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (RESERVED.indexOf(c) >= 0) {
                encoded = encoded == null ? new StringBuilder(name.substring(0, i)) : encoded;
                encoded.append('%').append(Integer.toHexString(c));
            } else if (encoded != null) {
                encoded.append(c);
            }
        }
        return encoded == null ? name : encoded.toString();
    }

    private static String decode(String encoded) {
        StringBuilder name = new StringBuilder(encoded.length());
        for (int i = 0; i < encoded.length(); i++) {
            char c = encoded.charAt(i);
            if (c == '%') {
                name.append((char) Integer.parseInt(encoded.substring(i + 1, i + 3), 16));
                i += 2;
            } else {
                name.append(c);
            }
        }
        return name.toString();
    }

    private static String glob(String literal) {
        StringBuilder escaped = new StringBuilder();
        for (int i = 0; i < literal.length(); i++) {
            if (GLOB.indexOf(literal.charAt(i)) >= 0) {
                escaped.append('\\');
            }
            escaped.append(literal.charAt(i));
        }
        return escaped.toString();
    }
}
