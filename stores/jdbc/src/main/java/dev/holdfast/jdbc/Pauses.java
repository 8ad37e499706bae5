package dev.holdfast.jdbc;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** How long to wait before trying again: by chance, so that those who collided do not collide again. */
final class Pauses {
    private static final Duration FIRST = Duration.ofMillis(4);
    private static final Duration LONGEST = Duration.ofMillis(250);
    private static final int MOST_DOUBLINGS = 10;

    private Pauses() {}

    /** Waits after an attempt; the first has number 1. */
    static void after(int attempt) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(
                ThreadLocalRandom.current().nextLong(longestAfter(attempt).toNanos()) + 1);
    }

    static Duration longestAfter(int attempt) {
        Duration doubled = FIRST.multipliedBy(1L << Math.min(attempt - 1, MOST_DOUBLINGS));
        return doubled.compareTo(LONGEST) < 0 ? doubled : LONGEST;
    }
}
