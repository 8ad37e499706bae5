package dev.holdfast;

/**
 * Is told of everything that happens in a client, for metrics, traces and logs. Called on a thread of the client's for
 * callbacks, one event after another in order; a slow listener delays later events but no lock, and beyond 100,000 waiting events
 * the newest are dropped. What it throws is
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
}
