package dev.holdfast.torture.tokens;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The epochs of one name, by everybody who asks for it. A grant must have a larger epoch than every grant that had returned
 * before it was asked for (P4), and no epoch may come twice (P3). Thread-safe.
 */
final class TokenLog {
    private static final int FIRST_SIZE = 1 << 10;

    private final AtomicLong largest = new AtomicLong(-1);

    /** Guarded by this. */
    private long[] epochs = new long[FIRST_SIZE];

    /** Guarded by this. */
    private int size;

    /** {@return the largest epoch that has returned so far; to be taken before asking} */
    long largest() {
        return largest.get();
    }

    /**
     * Notes a grant.
     *
     * @param epoch its epoch
     * @param before what {@link #largest} was before it was asked for
     * @return whether it is larger
     */
    boolean add(long epoch, long before) {
        largest.accumulateAndGet(epoch, Math::max);
        synchronized (this) {
            if (size == epochs.length) {
                epochs = Arrays.copyOf(epochs, 2 * size);
            }
            epochs[size++] = epoch;
        }
        return epoch > before;
    }

    /** {@return how many epochs came more than once} */
    synchronized long repeated() {
        long[] sorted = Arrays.copyOf(epochs, size);
        Arrays.sort(sorted);
        long repeated = 0;
        for (int i = 1; i < sorted.length; i++) {
            if (sorted[i] == sorted[i - 1]) {
                repeated++;
            }
        }
        return repeated;
    }
}
