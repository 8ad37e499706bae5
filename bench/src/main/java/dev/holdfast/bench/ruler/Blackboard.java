package dev.holdfast.bench.ruler;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A few numbers that the processes of one maker share in memory, written under the lock that is measured. A lost update
 * of the entries shows that the lock does not exclude.
 */
final class Blackboard {
    private static final VarHandle NUMBERS =
            MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());
    private static final int BYTES = 4096;
    private static final int ENTRIES = 0;
    private static final int LAST_PROCESS = 64;
    private static final int RELEASED_AT = 128;

    /** From here on one number for each process, apart enough not to disturb each other. */
    private static final int WAITING = 256;

    private final ByteBuffer memory;

    private Blackboard(ByteBuffer memory) {
        this.memory = memory;
    }

    static Blackboard open(Path file) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return new Blackboard(channel.map(MapMode.READ_WRITE, 0, BYTES).order(ByteOrder.nativeOrder()));
        }
    }

    void clear() {
        for (int offset = 0; offset < BYTES; offset += Long.BYTES) {
            set(offset, 0);
        }
    }

    long entries() {
        return get(ENTRIES);
    }

    /** Notes that a process (counted from 1) has the lock; returns whether another one had it before. */
    boolean enter(int process) {
        set(ENTRIES, get(ENTRIES) + 1);
        long last = get(LAST_PROCESS);
        if (last == process) {
            return false;
        }
        set(LAST_PROCESS, process);
        return last != 0;
    }

    /** Who had the lock last, counted from 1; 0 if nobody had it yet. */
    long lastProcess() {
        return get(LAST_PROCESS);
    }

    void releasing(long nanos) {
        set(RELEASED_AT, nanos);
    }

    long releasedAt() {
        return get(RELEASED_AT);
    }

    void waiting(int process, boolean yes) {
        set(WAITING + 64 * process, yes ? 1 : 0);
    }

    boolean isWaiting(int process) {
        return get(WAITING + 64 * process) != 0;
    }

    private long get(int offset) {
        return (long) NUMBERS.getAcquire(memory, offset);
    }

    private void set(int offset, long value) {
        NUMBERS.setRelease(memory, offset, value);
    }
}
