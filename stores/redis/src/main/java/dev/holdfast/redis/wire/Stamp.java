package dev.holdfast.redis.wire;

import java.nio.ByteBuffer;

/**
 * The last argument of every script that may grant, where servers replace each other: how far the generation puts epochs
 * ahead, whether the slot is on its way to the server, and in a cluster the place. The layout is in
 * {@link RecordField}.
 */
public final class Stamp {
    /**
     * What a server gives after its promotion is larger than anything that its predecessor can give for so long, less the
     * difference of their clocks, whatever was lost.
     */
    public static final long STEP_MICROS = 3_600_000_000L;

    /** Epochs stay below 2<sup>51</sup> until 2050; whoever promotes more often than this has only the clock from then on. */
    public static final long LARGEST_GENERATION = 400_000;

    private Stamp() {}

    static byte[] of(long generation, boolean arriving, byte[] place) {
        return ByteBuffer.allocate(RecordField.STAMP_PLACE.at() + place.length)
                .putLong(RecordField.STAMP_STEP.at(), Math.min(generation, LARGEST_GENERATION) * STEP_MICROS)
                .put(RecordField.STAMP_ARRIVING.at(), (byte) (arriving ? '1' : '0'))
                .put(RecordField.STAMP_PLACE.at(), place)
                .array();
    }
}
