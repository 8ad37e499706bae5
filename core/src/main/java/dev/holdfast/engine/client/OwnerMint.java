package dev.holdfast.engine.client;

import dev.holdfast.HoldfastException;
import dev.holdfast.spi.OwnerId;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import javax.crypto.Cipher;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Mints owner ids. Where few are needed they come from the machine's secure source one by one. Where many are needed they
 * are drawn ahead from the key stream of AES in counter mode under a key from that source, because asking the source for
 * each would cost more than all the rest of an uncontended acquire.
 *
 * <p>Keys and ids that were drawn ahead are used for a tenth of a second only: the memory of a process may be copied and
 * go on in several places later (CRaC, SnapStart, a cloned virtual machine), and none of them may use what another has.
 * Thread-safe.
 */
public final class OwnerMint implements Supplier<OwnerId> {
    private static final int MOST_IDS_FROM_SOURCE = 16;
    private static final int MOST_IDS_PER_BATCH = 256;
    private static final int KEY_BYTES = 32;
    private static final int BLOCK_BYTES = 16;
    private static final long LONGEST_STOCK_MILLIS = 100;

    private final LongSupplier wallMillis;
    private final Consumer<byte[]> source;
    private volatile Batch batch = new Batch(new byte[0], 0);

    /** Guarded by this object's monitor, as is the next. */
    private @Nullable Cipher keyStream;

    private long keyDrawnMillis;

    /** Mints ids that no other process has. */
    public OwnerMint() {
        this(SystemClock::wallMillis, new SecureRandom()::nextBytes);
    }

    /**
     * Makes a mint from given parts.
     *
     * @param wallMillis the time of day
     * @param source fills arrays with random bits that no copy of this process can have
     */
    OwnerMint(LongSupplier wallMillis, Consumer<byte[]> source) {
        this.wallMillis = wallMillis;
        this.source = source;
    }

    @Override
    public OwnerId get() {
        while (true) {
            Batch current = batch;
            if (isFresh(current.drawnMillis, wallMillis.getAsLong())) {
                int next = current.next.getAndAdd(2);
                if (next < current.words.length) {
                    return new OwnerId(current.words[next], current.words[next + 1]);
                }
            }
            refill(current);
        }
    }

    private static boolean isFresh(long drawnMillis, long now) {
        return now >= drawnMillis && now - drawnMillis <= LONGEST_STOCK_MILLIS;
    }

    /** A batch that was used up is followed by a larger one; one that grew old, by a single id. */
    private synchronized void refill(Batch spent) {
        if (batch == spent) {
            long now = wallMillis.getAsLong();
            boolean usedUp = spent.next.get() >= spent.words.length;
            int ids = usedUp ? Math.min(MOST_IDS_PER_BATCH, Math.max(1, spent.words.length)) : 1;
            byte[] bytes = new byte[ids * BLOCK_BYTES];
            if (ids <= MOST_IDS_FROM_SOURCE) {
                source.accept(bytes);
                batch = new Batch(bytes, now);
            } else {
                batch = new Batch(keyStream(now).update(bytes), keyDrawnMillis);
            }
        }
    }

    private Cipher keyStream(long now) {
        Cipher current = keyStream;
        if (current == null || !isFresh(keyDrawnMillis, now)) {
            current = newKeyStream();
            keyStream = current;
            keyDrawnMillis = now;
        }
        return current;
    }

    private Cipher newKeyStream() {
        byte[] key = new byte[KEY_BYTES];
        byte[] start = new byte[BLOCK_BYTES];
        source.accept(key);
        source.accept(start);
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
        private final long drawnMillis;
        private final AtomicInteger next = new AtomicInteger();

        Batch(byte[] bytes, long drawnMillis) {
            this.words = new long[bytes.length / Long.BYTES];
            this.drawnMillis = drawnMillis;
            ByteBuffer.wrap(bytes).asLongBuffer().get(words);
        }
    }
}
