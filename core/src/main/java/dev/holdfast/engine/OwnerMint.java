package dev.holdfast.engine;

import dev.holdfast.spi.OwnerId;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.function.Supplier;

/** Mints owner ids from a secure source, many at a time because each visit to the source is slow. Thread-safe. */
final class OwnerMint implements Supplier<OwnerId> {
    private static final int IDS_PER_BATCH = 256;

    private final SecureRandom source = new SecureRandom();
    private final byte[] bytes = new byte[IDS_PER_BATCH * 2 * Long.BYTES];

    /** What is left of the batch; guarded by this object's monitor. */
    private final ByteBuffer batch = ByteBuffer.wrap(bytes).limit(0);

    @Override
    public synchronized OwnerId get() {
        if (!batch.hasRemaining()) {
            source.nextBytes(bytes);
            batch.clear();
        }
        return new OwnerId(batch.getLong(), batch.getLong());
    }
}
