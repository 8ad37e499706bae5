package dev.holdfast.bench.ruler;

import java.time.Duration;

/**
 * A server on which all makers are measured.
 *
 * @param url for ours; the others find in it what they need
 * @param server what it is and how it is set up
 * @param requests counts what clients ask
 * @param replies counts how often clients are answered
 */
record Venue(String url, String server, Traffic requests, Traffic replies) {

    /** Nothing is counted. */
    static Venue of(String url, String server) {
        Traffic none = time -> {
            throw new IllegalStateException("what clients ask of " + server + " is not counted");
        };
        return new Venue(url, server, none, none);
    }

    /** What goes on between a server and its clients. */
    @FunctionalInterface
    interface Traffic {
        /** Counts for a while. */
        long over(Duration time) throws InterruptedException;
    }
}
