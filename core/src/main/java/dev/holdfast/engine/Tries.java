package dev.holdfast.engine;

import dev.holdfast.spi.ReleaseOutcome;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * The requests for clean-up tasks of one kind. The first tries, the first few repeats and the later ones have requests of
 * their own, so that what failed once, beside much that fails again and again, is not held up by that. Thread-safe.
 *
 * @param <T> the kind of task
 */
final class Tries<T extends CleanupTask> {
    private static final int USUAL_AT_ONCE = 5;
    private static final int MOST_AT_ONCE = 48;
    private static final int REPEATS_AT_ONCE = 4;

    /** So often a task may have failed because of others that it shared a request with, or by bad luck. */
    private static final int FEW_FAILURES = 3;

    private final Batches<T, ReleaseOutcome> first;
    private final Batches<T, ReleaseOutcome> few;
    private final Batches<T, ReleaseOutcome> often;

    /**
     * Sets up the requests.
     *
     * @param firstTries an empty set that keeps the order in which tasks are tried for the first time
     */
    Tries(Engine engine, Batches.Request<T, ReleaseOutcome> request, Set<T> firstTries) {
        this.first = new Batches<>(engine, StoreCalls.Lane.CLEANUP, request, USUAL_AT_ONCE, MOST_AT_ONCE, firstTries);
        this.few =
                new Batches<>(engine, StoreCalls.Lane.CLEANUP, request, REPEATS_AT_ONCE, MOST_AT_ONCE, new TreeSet<>());
        this.often = new Batches<>(
                engine, StoreCalls.Lane.CLEANUP, request, REPEATS_AT_ONCE, REPEATS_AT_ONCE, new TreeSet<>());
    }

    /** Adds a task; returns who has to work to send it. */
    Batches<T, ReleaseOutcome> add(T task) {
        Batches<T, ReleaseOutcome> requests = task.failures == 0 ? first : task.failures <= FEW_FAILURES ? few : often;
        requests.add(task);
        return requests;
    }

    void removeIf(Predicate<? super T> goes) {
        List.of(first, few, often).forEach(requests -> requests.removeIf(goes));
    }

    void hurry() {
        List.of(first, few, often).forEach(Batches::hurry);
    }
}
