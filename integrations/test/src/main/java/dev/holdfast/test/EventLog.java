package dev.holdfast.test;

import dev.holdfast.HoldfastEvent;
import dev.holdfast.HoldfastListener;
import dev.holdfast.LossReason;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** What has happened in a client, in order, with assertions. Thread-safe. */
public final class EventLog implements HoldfastListener {
    private final List<HoldfastEvent> events = new ArrayList<>();
    private final Runnable settle;

    EventLog(Runnable settle) {
        this.settle = settle;
    }

    @Override
    public void on(HoldfastEvent event) {
        synchronized (events) {
            events.add(event);
        }
    }

    /** {@return everything that has happened until now} */
    public List<HoldfastEvent> all() {
        settle.run();
        synchronized (events) {
            return List.copyOf(events);
        }
    }

    /**
     * Finds events of one kind.
     *
     * @param kind the kind, such as {@code HoldfastEvent.Lost.class}
     * @param <E> the kind
     * @return the events, in order
     */
    public <E extends HoldfastEvent> List<E> of(Class<E> kind) {
        return all().stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    /** Forgets what has happened. */
    public void clear() {
        settle.run();
        synchronized (events) {
            events.clear();
        }
    }

    /**
     * Checks that a lock was lost.
     *
     * @param lockName the lock
     * @param reason why
     * @throws AssertionError if it was not
     */
    public void assertLost(String lockName, LossReason reason) {
        expect(
                "'" + lockName + "' to be lost (" + reason + ")",
                event -> event instanceof HoldfastEvent.Lost lost
                        && lost.lockName().equals(lockName)
                        && lost.reason() == reason);
    }

    /**
     * Checks that nothing was lost.
     *
     * @throws AssertionError if something was
     */
    public void assertNothingLost() {
        if (!of(HoldfastEvent.Lost.class).isEmpty()) {
            throw new AssertionError("expected nothing to be lost" + happened());
        }
    }

    /**
     * Checks that a lease of a lock was released.
     *
     * @param lockName the lock
     * @throws AssertionError if none was
     */
    public void assertReleased(String lockName) {
        expect(
                "'" + lockName + "' to be released",
                event -> event instanceof HoldfastEvent.Released
                        && event.lockName().equals(lockName));
    }

    /**
     * Checks that a lock was acquired a number of times.
     *
     * @param lockName the lock
     * @param times how often
     * @throws AssertionError if it was acquired more or less often
     */
    public void assertAcquired(String lockName, int times) {
        long count = of(HoldfastEvent.Acquired.class).stream()
                .filter(event -> event.lockName().equals(lockName))
                .count();
        if (count != times) {
            throw new AssertionError("expected '" + lockName + "' to be acquired " + times + " times, but it was "
                    + count + " times" + happened());
        }
    }

    /**
     * Checks that something has happened.
     *
     * @param what what, for the message
     * @param matches finds the event
     * @throws AssertionError if there is no such event
     */
    public void expect(String what, Predicate<HoldfastEvent> matches) {
        if (all().stream().noneMatch(matches)) {
            throw new AssertionError("expected " + what + happened());
        }
    }

    private String happened() {
        List<HoldfastEvent> known = all();
        return known.isEmpty()
                ? "; nothing has happened"
                : "; what has happened:"
                        + known.stream().map(event -> "\n  " + event).collect(Collectors.joining());
    }

    @Override
    public String toString() {
        return "EventLog" + all();
    }
}
