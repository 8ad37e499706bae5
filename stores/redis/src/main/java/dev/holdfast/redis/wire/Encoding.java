package dev.holdfast.redis.wire;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Writes a command as it is sent, once for all nodes that are asked the same. */
public final class Encoding {
    private static final int MOST_DIGITS = 10;
    private static final int LINE_BYTES = 1 + MOST_DIGITS + 2;

    private Encoding() {}

    /** {@return the command as it is sent} */
    public static byte[] of(Command verb, byte[]... arguments) {
        int size = LINE_BYTES + lengthOf(verb.word());
        for (byte[] argument : arguments) {
            size += lengthOf(argument);
        }
        byte[] whole = new byte[size];
        int at = line(whole, 0, '*', arguments.length + 1);
        at = word(whole, at, verb.word());
        for (byte[] argument : arguments) {
            at = word(whole, at, argument);
        }
        return at == whole.length ? whole : Arrays.copyOf(whole, at);
    }

    private static int lengthOf(byte[] word) {
        return LINE_BYTES + word.length + 2;
    }

    private static int word(byte[] to, int from, byte[] word) {
        int at = line(to, from, '$', word.length);
        System.arraycopy(word, 0, to, at, word.length);
        return end(to, at + word.length);
    }

    private static int line(byte[] to, int from, char kind, int number) {
        int at = from;
        to[at++] = (byte) kind;
        if (number < 10) {
            to[at++] = (byte) ('0' + number);
        } else if (number < 100) {
            to[at++] = (byte) ('0' + number / 10);
            to[at++] = (byte) ('0' + number % 10);
        } else {
            byte[] digits = Integer.toString(number).getBytes(StandardCharsets.US_ASCII);
            System.arraycopy(digits, 0, to, at, digits.length);
            at += digits.length;
        }
        return end(to, at);
    }

    private static int end(byte[] to, int at) {
        to[at] = '\r';
        to[at + 1] = '\n';
        return at + 2;
    }
}
