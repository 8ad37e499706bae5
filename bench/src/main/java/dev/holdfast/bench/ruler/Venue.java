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
 */
record Venue(String url, String server, LongSupplier asked) {

    /** How often clients ask in a while. */
    long askedOver(Duration time) throws InterruptedException {
        long before = asked.getAsLong();
        TimeUnit.NANOSECONDS.sleep(time.toNanos());
        return asked.getAsLong() - before;
    }
}
