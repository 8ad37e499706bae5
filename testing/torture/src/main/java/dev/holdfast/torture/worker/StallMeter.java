package dev.holdfast.torture.worker;

import dev.holdfast.torture.history.Line;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Measures how long a process stood still although it wanted to run, so that a busy machine is not taken for a bug. It naps
 * for a few milliseconds again and again, and tells of naps that took much longer. And it asks the kernel how long each
 * thread was ready and had no processor; the worst of them is told five times a second.
 */
public final class StallMeter {
    private static final long NAP_NANOS = 5_000_000;
    private static final long WORTH_TELLING_NANOS = 30_000_000;
    private static final long WINDOW_NANOS = 200_000_000;
    private static final long WORTH_TELLING_DELAY_NANOS = 10_000_000;

    private final Consumer<Line> teller;
    private Map<String, Long> delays = new HashMap<>();

    private StallMeter(Consumer<Line> teller) {
        this.teller = teller;
    }

    /**
     * Starts the thread.
     *
     * @param process for its name
     * @param teller told of each stall
     */
    public static void start(String process, Consumer<Line> teller) {
        Thread thread = new Thread(() -> new StallMeter(teller).watch(), process + "-stalls");
        thread.setDaemon(true);
        thread.start();
    }

    private void watch() {
        try {
            long window = System.nanoTime();
            while (true) {
                long before = System.nanoTime();
                TimeUnit.NANOSECONDS.sleep(NAP_NANOS);
                long now = System.nanoTime();
                if (now - before - NAP_NANOS > WORTH_TELLING_NANOS) {
                    teller.accept(Line.of("stall").with("from", before).with("nanos", now - before - NAP_NANOS));
                }
                if (now - window > WINDOW_NANOS) {
                    long worst = worstDelay();
                    if (worst > WORTH_TELLING_DELAY_NANOS) {
                        teller.accept(Line.of("starved").with("from", window).with("nanos", worst));
                    }
                    window = now;
                }
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } catch (UncheckedIOException refereeIsGone) {
            // The run is over.
            Thread.currentThread().interrupt();
        }
    }

    /** The longest that one thread was ready without a processor since the last time; 0 where the kernel does not tell. */
    private long worstDelay() {
        Map<String, Long> now = new HashMap<>();
        long worst = 0;
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
            for (Path thread : threads) {
                String id = thread.getFileName().toString();
                long delay = delay(thread.resolve("schedstat"));
                now.put(id, delay);
                worst = Math.max(worst, delay - delays.getOrDefault(id, delay));
            }
        } catch (IOException notLinux) {
            return 0;
        }
        delays = now;
        return worst;
    }

    private static long delay(Path file) {
        try {
            // Time on a processor, time waiting for one, number of turns.
            List<String> numbers = List.of(Files.readString(file).strip().split(" ", -1));
            return Long.parseLong(numbers.get(1));
        } catch (IOException | NumberFormatException ended) {
            return 0;
        }
    }
}
