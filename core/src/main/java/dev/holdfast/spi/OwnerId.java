package dev.holdfast.spi;

import java.util.HexFormat;

/**
 * Who a claim belongs to: 128 random bits, new for every claim and minted before its first request, so that a retry
 * after a lost reply finds its own grant.
 *
 * @param high the first 64 bits
 * @param low the other 64 bits
 */
public record OwnerId(long high, long low) {
    private static final HexFormat HEX = HexFormat.of();

    /**
     * Reads what {@link #toString()} wrote.
     *
     * @param text 32 hexadecimal digits
     * @return the id
     * @throws IllegalArgumentException if the text is something else
     */
    public static OwnerId parse(String text) {
        if (text.length() != 32) {
            throw new IllegalArgumentException("an owner id has 32 hexadecimal digits, but this was '" + text + "'");
        }
        return new OwnerId(HexFormat.fromHexDigitsToLong(text, 0, 16), HexFormat.fromHexDigitsToLong(text, 16, 32));
    }

    @Override
    public int hashCode() {
        return (int) (low ^ low >>> 32);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof OwnerId that && that.high == high && that.low == low;
    }

    /** {@return 32 hexadecimal digits} */
    @Override
    public String toString() {
        return HEX.toHexDigits(high) + HEX.toHexDigits(low);
    }
}
