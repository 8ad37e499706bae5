package dev.holdfast.jdbc.advisory;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * What advisory locks call a name: the first 64 bits of the SHA-256 of the place of the tables, a
 * zero byte and name. Two names with the
 * same 64 bits exclude each other, which is too much but never too little.
 */
public final class AdvisoryKey {
    private AdvisoryKey() {}

    /**
     * Makes a name a number, for PostgreSQL.
     *
     * @param place where the tables are, as the server spells it; keeps applications apart
     * @param name the name
     * @return the number that is locked for it
     */
    public static long of(String place, String name) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(place.getBytes(StandardCharsets.UTF_8));
            digest.update((byte) 0);
            return ByteBuffer.wrap(digest.digest(name.getBytes(StandardCharsets.UTF_8)))
                    .getLong();
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException("every JDK has SHA-256", missing);
        }
    }

    /** Makes a name a word, for MySQL and MariaDB, whose words have at most 64 characters and ignore case. */
    static String wordOf(String place, String name) {
        return "hf_" + HexFormat.of().toHexDigits(of(place, name));
    }

    /**
     * Tells the same number as an expression of PostgreSQL.
     *
     * @param place an expression for the place
     * @param name an expression for the name
     * @return the expression
     */
    public static String expression(String place, String name) {
        return "CAST(CAST('x' || encode(substring(sha256(convert_to(" + place + ", 'UTF8') || '\\x00'::bytea ||"
                + " convert_to(" + name + ", 'UTF8')) FROM 1 FOR 8), 'hex') AS bit(64)) AS bigint)";
    }

    /** {@return a text as a literal} */
    static String literal(String text) {
        return "'" + text.replace("'", "''") + "'";
    }
}
