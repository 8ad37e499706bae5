package dev.holdfast.redis.wire;

/** Which slot of a cluster a key is in. */
public final class Slots {
    /** How many there are. */
    public static final int COUNT = 16_384;

    private static final int POLYNOMIAL = 0x1021;
    private static final int[] TABLE = new int[256];

    static {
        for (int i = 0; i < TABLE.length; i++) {
            int sum = i << 8;
            for (int bit = 0; bit < 8; bit++) {
                sum = (sum & 0x8000) == 0 ? sum << 1 : sum << 1 ^ POLYNOMIAL;
            }
            TABLE[i] = sum & 0xFFFF;
        }
    }

    private Slots() {}

    /** {@return the slot: of what stands in the first braces, if anything does, otherwise of the whole key} */
    public static int of(byte[] key) {
        int open = indexOf(key, '{', 0);
        int close = open < 0 ? -1 : indexOf(key, '}', open + 1);
        boolean tagged = close > open + 1;
        int sum = 0;
        for (int i = tagged ? open + 1 : 0; i < (tagged ? close : key.length); i++) {
            sum = (sum << 8 & 0xFFFF) ^ TABLE[(sum >> 8 ^ key[i]) & 0xFF];
        }
        return sum % COUNT;
    }

    private static int indexOf(byte[] key, char wanted, int from) {
        for (int i = from; i < key.length; i++) {
            if (key[i] == wanted) {
                return i;
            }
        }
        return -1;
    }
}
