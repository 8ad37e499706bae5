package dev.holdfast.spi;

import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * The rule for lock names, the same for every store. The engine applies it to every name before a store sees it. A store
 * whose locks can also be taken without the engine applies it there.
 */
public final class LockName {
    private static final int MOST_BYTES = 255;

    private LockName() {}

    /**
     * Checks a name.
     *
     * @param name the name
     * @return the same
     * @throws IllegalArgumentException if it cannot be the name of a lock
     */
    public static String check(String name) {
        Objects.requireNonNull(name, "name");
        if (name.isEmpty()) {
            throw new IllegalArgumentException("a lock name must not be empty");
        }
        for (int i = 0; i < name.length(); i++) {
            if (Character.isISOControl(name.charAt(i))) {
                throw new IllegalArgumentException(String.format(
                        "a lock name must not contain control characters, but has U+%04X at index %d",
                        (int) name.charAt(i), i));
            }
        }
        if (name.length() > MOST_BYTES || bytes(name) > MOST_BYTES) {
            throw new IllegalArgumentException("a lock name must have at most " + MOST_BYTES
                    + " bytes in UTF-8, but this one is longer; it begins with '"
                    + name.substring(0, Math.min(40, name.length())) + "'");
        }
        return name;
    }

    private static int bytes(String name) {
        try {
            return StandardCharsets.UTF_8
                    .newEncoder()
                    .encode(CharBuffer.wrap(name))
                    .remaining();
        } catch (CharacterCodingException broken) {
            throw new IllegalArgumentException("a lock name must not contain half of a surrogate pair", broken);
        }
    }
}
