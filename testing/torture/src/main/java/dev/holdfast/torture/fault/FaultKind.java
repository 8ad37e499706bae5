package dev.holdfast.torture.fault;

import java.time.Duration;

/**
 * Something that can be done to a worker, a server or a network.
 *
 * @param word what it is called in histories
 * @param target to what it is done
 * @param resource two faults of the same resource never overlap, because the second would end the first
 * @param weight how often it is drawn, compared with the others
 * @param shortest the shortest that it lasts
 * @param longest the longest
 * @param loses what the servers forget by it
 * @param begin does it
 * @param end undoes it
 */
public record FaultKind(
        String word,
        String target,
        String resource,
        int weight,
        Duration shortest,
        Duration longest,
        Loses loses,
        Step begin,
        Step end) {

    /** What the servers forget by a fault; the store's traits say whether locks survive that. */
    public enum Loses {
        /** Nothing that was answered. */
        NOTHING,
        /** Whatever a restart costs. */
        RESTART,
        /** The last writes, in a failover. */
        FAILOVER
    }

    /** Half of a fault. */
    @FunctionalInterface
    public interface Step {
        /**
         * Takes the step.
         *
         * @throws InterruptedException if interrupted
         */
        void take() throws InterruptedException;
    }

    /** {@return a step that does nothing} */
    public static Step nothing() {
        return () -> {};
    }
}
