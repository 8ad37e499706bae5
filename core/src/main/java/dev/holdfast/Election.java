package dev.holdfast;

import java.util.Optional;
import java.util.function.Consumer;

/**
 * A standing candidature for leadership, on top of a lock. Thread-safe.
 *
 * <p>At most one client leads at a time, within the guarantees of the store. A leader that loses its lease is deposed
 * and stands again by itself.
 */
public interface Election extends AutoCloseable {

    /**
     * Stands for election. The callbacks run on a thread of the election's own, one after another in the order of events.
     * While the name is in use as another kind of lock, it goes on trying; a store that cannot be used as it is set up
     * ends the candidature and is told to the {@link HoldfastListener}.
     *
     * @param onElected runs when this candidate leads, with the lease whose token to fence with; need not return before
     *     the term ends
     * @param onDeposed runs when it leads no more, with the reason; not after {@link #resign()} or {@link #close()}
     * @throws IllegalStateException if it is standing already, or closed
     */
    void campaign(Consumer<Lease> onElected, Consumer<LossReason> onDeposed);

    /** {@return whether this candidate leads at this moment, computed from the clock} */
    boolean isLeader();

    /**
     * Asks the store who leads.
     *
     * @return the leading client's name, or empty if there is no leader now
     * @throws StoreUnavailableException if the store did not answer
     */
    Optional<String> leader();

    /** Leaves office, if in office, and stops standing. It may stand again with {@link #campaign}. */
    void resign();

    /** Resigns for good. */
    @Override
    void close();
}
