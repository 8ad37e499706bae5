package dev.holdfast.jdbc.lease;

import dev.holdfast.spi.MonotonicClock;
import dev.holdfast.spi.ServerClock;
import dev.holdfast.spi.StoreListener;
import java.util.concurrent.TimeUnit;

/** What is known of the clock of the server that answered last. Another server's clock proves nothing. Thread-safe. */
final class ServerTime {
    private final MonotonicClock clock;
    private volatile Place known;

    private record Place(long id, ServerClock clock) {}

    ServerTime(MonotonicClock clock) {
        this.clock = clock;
        this.known = new Place(0, new ServerClock(clock));
    }

    void answered(long sentNanos, long place, long serverMicros) {
        Place here = known;
        if (here.id != place) {
            here = new Place(place, new ServerClock(clock));
            known = here;
        }
        here.clock.answered(sentNanos, TimeUnit.MICROSECONDS.toNanos(serverMicros));
    }

    /** {@return a reading of the client's clock that is certainly not later than the server's, if there can be one} */
    long notLaterThan(long place, long serverMicros) {
        Place here = known;
        return here.id == place
                ? here.clock.notLaterThan(TimeUnit.MICROSECONDS.toNanos(serverMicros))
                : StoreListener.UNKNOWN_ANCHOR;
    }
}
