package dev.holdfast;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Is told of everything that happens in a client, for metrics, traces and logs. Events come on a thread of the client's for
 * callbacks, one event after another in order; a slow listener delays later events but no lock, and beyond 100,000 waiting events
 * the newest are dropped ({@link ClientStatistics#droppedEvents()} counts them). What a listener throws is
 * logged and dropped.
 */
@FunctionalInterface
public interface HoldfastListener {
    /**
     * Receives one event.
     *
     * @param event what happened
     */
    void on(HoldfastEvent event);

    /**
     * Receives the numbers of a client, once, while the client is made. Called on the thread that makes the client.
     *
     * @param statistics live numbers of the client
     */
    default void opened(ClientStatistics statistics) {}

    /**
     * Tells how long events may be kept back so that many are told at once. To tell each at once wakes a thread each time,
     * which costs much more than the event. Asked once, while the client is made.
     *
     * @return the longest delay; zero, which is the default, for none
     */
    default Duration longestDelay() {
        return Duration.ZERO;
    }

    /**
     * Follows one attempt to get a lock, for tracers that need to know who asks. Called on the thread that asks, before it
     * waits: it must return quickly.
     *
     * @param lockName the lock; for several names, joined by a comma
     * @return who is told how this attempt and its lease end, without delay and after this listener; null for nobody
     */
    default @Nullable HoldfastListener attempt(String lockName) {
        return null;
    }

    /**
     * Makes one listener of several. Each is told, whatever the others throw.
     *
     * @param listeners whom to tell, in this order
     * @return the listener
     */
    static HoldfastListener all(HoldfastListener... listeners) {
        return all(List.of(listeners));
    }

    /**
     * Makes one listener of several. Each is told, whatever the others throw.
     *
     * @param listeners whom to tell, in this order
     * @return the listener
     */
    static HoldfastListener all(List<? extends HoldfastListener> listeners) {
        return new ListenerGroup(List.copyOf(Objects.requireNonNull(listeners, "listeners")));
    }
}
