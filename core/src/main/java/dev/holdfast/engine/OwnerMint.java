package dev.holdfast.engine;

import dev.holdfast.HoldfastException;
import dev.holdfast.spi.OwnerId;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicInteger;
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
    private volatile Batch batch = new Batch(new long[0]);

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
    public OwnerId get() {
        while (true) {
            Batch current = batch;
            int next = current.next.getAndAdd(2);
            if (next < current.words.length) {
                return new OwnerId(current.words[next], current.words[next + 1]);
            }
            refill(current);
        }
    }

    private synchronized void refill(Batch spent) {
        if (batch == spent) {
            ByteBuffer bytes = ByteBuffer.wrap(keyStream.update(new byte[IDS_PER_BATCH * BLOCK_BYTES]));
            long[] words = new long[IDS_PER_BATCH * 2];
            bytes.asLongBuffer().get(words);
            batch = new Batch(words);
        }
    }

    /** Ids to be handed out, two words each. */
    private static final class Batch {
        private final long[] words;
        private final AtomicInteger next = new AtomicInteger();

        Batch(long[] words) {
            this.words = words;
        }
    }
}
