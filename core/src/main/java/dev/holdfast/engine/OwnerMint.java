package dev.holdfast.engine;

import dev.holdfast.HoldfastException;
import dev.holdfast.spi.OwnerId;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.function.Supplier;
import javax.crypto.Cipher;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Mints owner ids: the key stream of AES in counter mode under a key from the machine's secure source, many ids at a
 * time, because asking that source for each id would cost more than all the rest of an uncontended acquire. Thread-safe.
 */
final class OwnerMint implements Supplier<OwnerId> {
    private static final int IDS_PER_BATCH = 256;
    private static final int KEY_BYTES = 32;
    private static final int BLOCK_BYTES = 16;

    private final Cipher keyStream;
    private final byte[] zeros = new byte[IDS_PER_BATCH * BLOCK_BYTES];

    /** What is left of the batch; guarded by this object's monitor. */
    private ByteBuffer batch = ByteBuffer.allocate(0);

    OwnerMint() {
        SecureRandom source = new SecureRandom();
        byte[] key = new byte[KEY_BYTES];
        byte[] start = new byte[BLOCK_BYTES];
        source.nextBytes(key);
        source.nextBytes(start);
        try {
            keyStream = Cipher.getInstance("AES/CTR/NoPadding");
            keyStream.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(key, "AES"), new IvParameterSpec(start));
        } catch (GeneralSecurityException lacking) {
            throw new HoldfastException("this Java runtime offers no AES, which every runtime must", lacking);
        }
    }

    @Override
    public synchronized OwnerId get() {
        if (!batch.hasRemaining()) {
            batch = ByteBuffer.wrap(keyStream.update(zeros));
        }
        return new OwnerId(batch.getLong(), batch.getLong());
    }
}
