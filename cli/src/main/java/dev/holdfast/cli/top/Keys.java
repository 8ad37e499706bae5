package dev.holdfast.cli.top;

import java.io.IOException;
import java.util.Map;
import java.util.function.Consumer;
import org.jline.utils.NonBlockingReader;

/** Reads keys on a thread of its own until the terminal is closed. Sequences that are no key here are read to their end. */
final class Keys implements AutoCloseable {
    private static final char ESCAPE = '\u001b';
    private static final char FIRST_PRINTABLE = ' ';

    /** How long a single Esc may be the beginning of another key. */
    private static final long ESCAPE_MILLIS = 150;

    /** A read without an end would keep the terminal from being closed. */
    private static final long LOOK_MILLIS = 100;

    private static final long LONGEST_END_MILLIS = 2_000;

    /** No sequence of a terminal is longer. */
    private static final int LONGEST_SEQUENCE = 32;

    private static final Map<Integer, Key> CONTROLS = Map.of(
            (int) '\r',
            Key.ENTER,
            (int) '\n',
            Key.ENTER,
            (int) '\b',
            Key.BACKSPACE,
            0x7F,
            Key.BACKSPACE,
            0x15,
            Key.CLEAR,
            0x03,
            Key.INTERRUPT);

    private static final Map<String, Key> SEQUENCES = Map.ofEntries(
            Map.entry("A", Key.UP),
            Map.entry("B", Key.DOWN),
            Map.entry("H", Key.HOME),
            Map.entry("F", Key.END),
            Map.entry("1~", Key.HOME),
            Map.entry("7~", Key.HOME),
            Map.entry("4~", Key.END),
            Map.entry("8~", Key.END),
            Map.entry("5~", Key.PAGE_UP),
            Map.entry("6~", Key.PAGE_DOWN));

    private final NonBlockingReader terminal;
    private final Consumer<? super TopEvent> events;
    private final Thread thread = new Thread(this::readAll, "holdfast-top-keys");

    private volatile boolean closed;

    Keys(NonBlockingReader terminal, Consumer<? super TopEvent> events) {
        this.terminal = terminal;
        this.events = events;
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** Waits until nothing is read any more. */
    @Override
    public void close() {
        closed = true;
        try {
            thread.join(LONGEST_END_MILLIS);
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
    }

    private void readAll() {
        while (!closed) {
            TopEvent.Pressed pressed = read();
            events.accept(pressed);
            if (pressed.key() == Key.HANG_UP) {
                return;
            }
        }
    }

    TopEvent.Pressed read() {
        try {
            int typed = NonBlockingReader.READ_EXPIRED;
            while (typed == NonBlockingReader.READ_EXPIRED && !closed) {
                typed = terminal.read(LOOK_MILLIS);
            }
            if (typed < 0) {
                return key(Key.HANG_UP);
            }
            if (typed == ESCAPE) {
                return key(afterEscape());
            }
            if (CONTROLS.containsKey(typed)) {
                return key(CONTROLS.getOrDefault(typed, Key.OTHER));
            }
            return typed < FIRST_PRINTABLE ? key(Key.OTHER) : text((char) typed);
        } catch (IOException gone) {
            return key(Key.HANG_UP);
        }
    }

    private TopEvent.Pressed text(char typed) throws IOException {
        if (!Character.isHighSurrogate(typed)) {
            return new TopEvent.Pressed(Key.TEXT, String.valueOf(typed));
        }
        int second = terminal.read(ESCAPE_MILLIS);
        return second >= 0 && Character.isLowSurrogate((char) second)
                ? new TopEvent.Pressed(Key.TEXT, "" + typed + (char) second)
                : key(Key.OTHER);
    }

    private Key afterEscape() throws IOException {
        int kind = terminal.read(ESCAPE_MILLIS);
        if (kind < 0) {
            return Key.ESCAPE;
        }
        if (kind != '[' && kind != 'O') {
            return Key.OTHER;
        }
        StringBuilder sequence = new StringBuilder();
        while (sequence.length() < LONGEST_SEQUENCE) {
            int next = terminal.read(ESCAPE_MILLIS);
            if (next < 0) {
                return Key.OTHER;
            }
            sequence.append((char) next);
            if (next >= '@' && next <= '~') {
                break;
            }
        }
        return SEQUENCES.getOrDefault(sequence.toString(), Key.OTHER);
    }

    private static TopEvent.Pressed key(Key key) {
        return new TopEvent.Pressed(key, "");
    }
}
