package dev.holdfast.spi;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * Stays awake for the few microseconds that something near may take, such as an answer from a server on the same machine.
 * To fall asleep and be woken on an idle processor can take longer than the answer itself.
 *
 * <p>A thread that waits so lets others run meanwhile. Where it was in vain a few times, it is tried only now and then. No
 * more threads of a process wait so at the same time than there are processors to spare. Thread-safe.
 */
public final class ShortWait {
    /** Some tens of microseconds in all. */
    private static final int MOST_YIELDS = 100;

    private static final int MOST_CONFIDENCE = 8;
    private static final int PRICE_OF_A_MISS = 2;
    private static final int WAITS_BETWEEN_TRIALS = 64;
    private static final int MOST_AT_ONCE = Math.max(1, Runtime.getRuntime().availableProcessors() - 1);

    /** Processors are shared by all clients of the process. */
    private static final AtomicInteger AWAKE = new AtomicInteger();

    /** A guess; threads may overwrite each other's. */
    private volatile int confidence = MOST_CONFIDENCE;

    private final AtomicInteger skipped = new AtomicInteger();

    private final boolean staysAwake;

    /**
     * Makes one that expects short waits until it has seen others. Stores get theirs from
     * {@link StoreContext#newShortWait()}.
     *
     * @param staysAwake false for one that never stays awake
     */
    public ShortWait(boolean staysAwake) {
        this.staysAwake = staysAwake;
    }

    /**
     * Waits for a moment, or not at all where that has been of no use.
     *
     * @param event whether that for which is waited has come; asked again and again
     */
    public void await(BooleanSupplier event) {
        if (!staysAwake) {
            return;
        }
        if (confidence == 0 && skipped.incrementAndGet() < WAITS_BETWEEN_TRIALS) {
            return;
        }
        skipped.set(0);
        try {
            if (AWAKE.incrementAndGet() <= MOST_AT_ONCE) {
                confidence = comesSoon(event)
                        ? Math.min(MOST_CONFIDENCE, confidence + 1)
                        : Math.max(0, confidence - PRICE_OF_A_MISS);
            }
        } finally {
            AWAKE.decrementAndGet();
        }
    }

    /** Speed depends on the scheduler here, correctness does not. */
    @SuppressWarnings("ThreadPriorityCheck")
    private static boolean comesSoon(BooleanSupplier event) {
        for (int yields = 0; yields < MOST_YIELDS; yields++) {
            if (event.getAsBoolean()) {
                return true;
            }
            Thread.yield();
        }
        return event.getAsBoolean();
    }
}
