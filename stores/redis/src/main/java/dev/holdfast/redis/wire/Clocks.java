package dev.holdfast.redis.wire;

import dev.holdfast.spi.MonotonicClock;
import dev.holdfast.spi.ServerClock;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What is known of the clocks of servers, by the place where each was reached: a host's name may lead to another machine
 * tomorrow, and messages of a cluster come from any of its members. Thread-safe.
 */
public final class Clocks {
    private final MonotonicClock clock;
    private final Map<String, ServerClock> byPlace = new ConcurrentHashMap<>();

    public Clocks(MonotonicClock clock) {
        this.clock = clock;
    }

    /** {@return the clock of the server at a place} */
    public ServerClock at(String place) {
        return byPlace.computeIfAbsent(place, unknown -> new ServerClock(clock));
    }

    /** {@return a clock of which nothing is known} */
    public ServerClock unknown() {
        return new ServerClock(clock);
    }

    /** Forgets a clock, because the connection broke, and another machine may have taken the place. */
    void forget(String place) {
        byPlace.remove(place);
    }
}
