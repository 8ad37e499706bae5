package dev.holdfast.cli.top;

import dev.holdfast.Holdfast;
import dev.holdfast.cli.console.Complaint;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Asks the store on a thread of its own, so that the screen answers while the store does not. A look is never made more
 * often than half of the time, however long the list is. Thread-safe.
 */
final class StoreWatch implements AutoCloseable {
    /** What stays usable on a screen; more are cut off, and the title says so. */
    static final int MOST_NAMES = 10_000;

    private static final int MOST_ORDERS = 100;

    private record Order(Mode.Victim victim, String reason) {}

    private final BlockingQueue<Order> orders = new LinkedBlockingQueue<>(MOST_ORDERS);
    private final Holdfast client;
    private final String prefix;
    private final Duration interval;
    private final Consumer<? super TopEvent> events;
    private final Thread thread = new Thread(this::watch, "holdfast-top-store");

    private volatile boolean closed;

    StoreWatch(Holdfast client, String prefix, Duration interval, Consumer<? super TopEvent> events) {
        this.client = client;
        this.prefix = prefix;
        this.interval = interval;
        this.events = events;
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    void evict(Mode.Victim victim, String reason) {
        if (!orders.offer(new Order(victim, reason))) {
            events.accept(new TopEvent.Evicted("Too many evictions wait for the store; this one was not asked for."));
        }
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
    }

    private void watch() {
        try {
            while (!closed) {
                long began = System.nanoTime();
                look();
                long took = System.nanoTime() - began;
                Order order = orders.poll(Math.max(interval.toNanos(), took), TimeUnit.NANOSECONDS);
                if (order != null) {
                    obey(order);
                }
            }
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }

    private void look() {
        try {
            events.accept(new TopEvent.Seen(client.list(prefix, MOST_NAMES)));
        } catch (RuntimeException failed) {
            events.accept(new TopEvent.Failed(sentence(failed)));
        }
    }

    /** Only the holders that were shown are meant: each is named by its token. */
    private void obey(Order order) {
        String name = SafeText.of(order.victim().name());
        try {
            int evicted = 0;
            for (long token : order.victim().tokens()) {
                evicted += client.evict(order.victim().name(), token, order.reason());
            }
            events.accept(new TopEvent.Evicted(
                    switch (evicted) {
                        case 0 -> "Nobody was evicted: that holder of " + name + " has gone.";
                        case 1 -> "Evicted the holder of " + name + ".";
                        default -> "Evicted " + evicted + " holders of " + name + ".";
                    }));
        } catch (RuntimeException failed) {
            events.accept(new TopEvent.Evicted("The eviction failed: " + SafeText.of(sentence(failed))));
        }
    }

    private static String sentence(RuntimeException failed) {
        return Complaint.withoutSecrets(Complaint.of(failed, "").sentence());
    }
}
