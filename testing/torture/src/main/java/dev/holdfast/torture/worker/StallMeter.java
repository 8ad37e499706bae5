package dev.holdfast.torture.worker;

import dev.holdfast.torture.history.Line;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Naps for a few milliseconds again and again, and tells when a nap took much longer: then the machine stood still. */
public final class StallMeter {
    private static final long NAP_NANOS = 5_000_000;
    private static final long WORTH_TELLING_NANOS = 30_000_000;

    private StallMeter() {}

    /**
     * Starts the thread.
     *
     * @param process for its name
     * @param teller told of each stall
     */
    public static void start(String process, Consumer<Line> teller) {
        Thread thread = new Thread(() -> watch(teller), process + "-stalls");
        thread.setDaemon(true);
        thread.start();
    }

    private static void watch(Consumer<Line> teller) {
        try {
            while (true) {
                long before = System.nanoTime();
                TimeUnit.NANOSECONDS.sleep(NAP_NANOS);
                long over = System.nanoTime() - before - NAP_NANOS;
                if (over > WORTH_TELLING_NANOS) {
                    teller.accept(Line.of("stall").with("from", before).with("nanos", over));
                }
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } catch (java.io.UncheckedIOException refereeIsGone) {
            // The run is over.
            Thread.currentThread().interrupt();
        }
    }
}
