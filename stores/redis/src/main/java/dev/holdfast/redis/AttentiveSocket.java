package dev.holdfast.redis;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A socket whose reader stays awake for the few microseconds that a near server takes to answer. Going to sleep and being
 * woken on an idle processor can take longer than the answer itself.
 *
 * <p>The reader lets other threads run meanwhile, and soon stops trying where answers take longer. No more threads of a
 * process do so at the same time than there are processors to spare.
 */
final class AttentiveSocket extends Socket {
    /** Some tens of microseconds in all. */
    private static final int MOST_YIELDS = 100;

    private static final int MOST_AT_ONCE = Math.max(1, Runtime.getRuntime().availableProcessors() - 1);

    /** Processors are shared by all clients of the process. */
    private static final AtomicInteger AWAKE = new AtomicInteger();

    @Override
    public InputStream getInputStream() throws IOException {
        return new AttentiveStream(super.getInputStream());
    }

    /** Used by one thread at a time. */
    private static final class AttentiveStream extends FilterInputStream {
        private static final int MOST_CONFIDENCE = 8;
        private static final int PRICE_OF_A_MISS = 2;
        private static final int READS_BETWEEN_TRIALS = 64;

        private int confidence = MOST_CONFIDENCE;
        private int readsSinceTrial;

        AttentiveStream(InputStream in) {
            super(in);
        }

        @Override
        public int read(byte[] buffer, int offset, int length) throws IOException {
            if (confidence > 0 || ++readsSinceTrial >= READS_BETWEEN_TRIALS) {
                readsSinceTrial = 0;
                stayAwake();
            }
            return in.read(buffer, offset, length);
        }

        private void stayAwake() throws IOException {
            try {
                if (AWAKE.incrementAndGet() <= MOST_AT_ONCE) {
                    confidence = hasAnswerSoon()
                            ? Math.min(MOST_CONFIDENCE, confidence + 1)
                            : Math.max(0, confidence - PRICE_OF_A_MISS);
                }
            } finally {
                AWAKE.decrementAndGet();
            }
        }

        /** Speed depends on the scheduler here, correctness does not. */
        @SuppressWarnings("ThreadPriorityCheck")
        private boolean hasAnswerSoon() throws IOException {
            for (int yields = 0; yields < MOST_YIELDS; yields++) {
                if (in.available() > 0) {
                    return true;
                }
                Thread.yield();
            }
            return false;
        }
    }
}
