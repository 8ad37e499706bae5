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
import org.jspecify.annotations.Nullable;

/**
 * Mints owner ids: the key stream of AES in counter mode under a key from the machine's secure source, many ids at a
 * time, because asking that source for each id would cost more than all the rest of an uncontended acquire. The first few
 * come from the source itself, because a program that needs no more, such as one run of the command line, would spend more
 * time on loading the cipher than on everything else. Thread-safe.
 */
final class OwnerMint implements Supplier<OwnerId> {
    private static final int IDS_IN_FIRST_BATCH = 16;
    private static final int IDS_PER_BATCH = 256;
    private static final int KEY_BYTES = 32;
    private static final int BLOCK_BYTES = 16;

    private final SecureRandom source = new SecureRandom();
    private volatile Batch batch;

    /** Made for the second batch; guarded by this object's monitor. */
    private @Nullable Cipher keyStream;

    OwnerMint() {
        byte[] first = new byte[IDS_IN_FIRST_BATCH * BLOCK_BYTES];
        source.nextBytes(first);
        batch = Batch.of(first);
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
            if (keyStream == null) {
                keyStream = newKeyStream();
            }
            batch = Batch.of(keyStream.update(new byte[IDS_PER_BATCH * BLOCK_BYTES]));
        }
    }

    private Cipher newKeyStream() {
        byte[] key = new byte[KEY_BYTES];
        byte[] start = new byte[BLOCK_BYTES];
        source.nextBytes(key);
        source.nextBytes(start);
        try {
            Cipher cipher = Cipher.getInstance("AES/CTR/NoPadding");
            cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(key, "AES"), new IvParameterSpec(start));
            return cipher;
        } catch (GeneralSecurityException lacking) {
            throw new HoldfastException("this Java runtime offers no AES, which every runtime must", lacking);
        }
    }

    /** Ids to be handed out, two words each. */
    private static final class Batch {
        private final long[] words;
        private final AtomicInteger next = new AtomicInteger();

        private Batch(long[] words) {
            this.words = words;
        }

        static Batch of(byte[] bytes) {
            long[] words = new long[bytes.length / Long.BYTES];
            ByteBuffer.wrap(bytes).asLongBuffer().get(words);
            return new Batch(words);
        }
    }
}
