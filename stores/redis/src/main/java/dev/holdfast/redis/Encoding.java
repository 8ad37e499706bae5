package dev.holdfast.redis;

import java.util.Arrays;

/** Writes a command in the protocol of Redis: the number of its words, and each word behind its length. */
final class Encoding {
    /** A mark, ten digits, and the end of a line, before a word; the end of a line behind it. */
    private static final int MOST_AROUND_A_WORD = 15;

    private final byte[] command;
    private int length;

    private Encoding(int mostBytes) {
        this.command = new byte[mostBytes];
    }

    static byte[] of(byte[] verb, byte[]... arguments) {
        int most = 2 * MOST_AROUND_A_WORD + verb.length;
        for (byte[] argument : arguments) {
            most += MOST_AROUND_A_WORD + argument.length;
        }
        Encoding encoding = new Encoding(most);
        encoding.line('*', arguments.length + 1);
        encoding.word(verb);
        for (byte[] argument : arguments) {
            encoding.word(argument);
        }
        return Arrays.copyOf(encoding.command, encoding.length);
    }

    private void word(byte[] word) {
        line('$', word.length);
        System.arraycopy(word, 0, command, length, word.length);
        length += word.length;
        endLine();
    }

    private void line(char mark, int number) {
        command[length++] = (byte) mark;
        int digits = 1;
        for (int rest = number / 10; rest > 0; rest /= 10) {
            digits++;
        }
        int value = number;
        for (int at = length + digits - 1; at >= length; at--) {
            command[at] = (byte) ('0' + value % 10);
            value /= 10;
        }
        length += digits;
        endLine();
    }

    private void endLine() {
        command[length++] = '\r';
        command[length++] = '\n';
    }
}
