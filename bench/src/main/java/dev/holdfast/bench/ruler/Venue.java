package dev.holdfast.bench.ruler;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * A server on which all makers are measured.
 *
 * @param url for ours; the others find in it what they need
 * @param server what it is and how it is set up
 * @param asked how often clients have asked it since it was started, without asking for this number
 * @param commands counts what clients send, one by one
 */
record Venue(String url, String server, LongSupplier asked, Traffic commands) {

    /** What is sent is what is asked. */
    static Venue of(String url, String server, LongSupplier asked) {
        return new Venue(url, server, asked, time -> over(asked, time));
    }

    /** How often clients ask in a while. */
    long askedOver(Duration time) throws InterruptedException {
        return over(asked, time);
    }

    private static long over(LongSupplier asked, Duration time) throws InterruptedException {
        long before = asked.getAsLong();
        TimeUnit.NANOSECONDS.sleep(time.toNanos());
        return asked.getAsLong() - before;
    }

    /** What goes on between a server and its clients. */
    @FunctionalInterface
    interface Traffic {
        /** Counts for a while. */
        long over(Duration time) throws InterruptedException;
    }
}
