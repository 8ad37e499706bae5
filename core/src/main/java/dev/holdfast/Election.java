package dev.holdfast;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A standing candidature for leadership, on top of a lock. Thread-safe.
 *
 * <p>At most one client leads at a time, within the guarantees of the store. A leader that loses its lease is deposed. It
 * stands again by itself once both callbacks have returned, so a leader that hangs in {@code onElected} cannot regain
 * office without noticing.
 *
 * <p>The lease of a term is lent: its {@link Lease#release()}, {@link Lease#releaseAsync()} and {@link Lease#close()} throw
 * {@link IllegalStateException}. Leave office with {@link #resign()}.
 */
public interface Election extends AutoCloseable {

    /**
     * Stands for election. The callbacks run on a thread of the election's own, one after another in the order of events.
     * While the name is in use as another kind of lock, it goes on trying; a store that cannot be used as it is set up
     * ends the candidature and is told to the {@link HoldfastListener}. If {@code onElected} of an earlier candidature
     * still runs, this one stands as soon as it has returned.
     *
     * @param onElected runs when this candidate leads, with the lease whose token to fence with; need not return before
     *     the term ends. With {@link LockOptions#interruptOnLoss()}, its thread is interrupted when the term is lost
     * @param onDeposed runs after that when it leads no more, with the reason; not after {@link #resign()} or
     *     {@link #close()}. Then it stands again
     * @throws IllegalStateException if it is standing already, or closed
     * @throws ClientClosedException if the client is closed
     */
    void campaign(Consumer<Lease> onElected, Consumer<LossReason> onDeposed);

    /**
     * Waits without limit until this candidate leads; returns at once if it does. What is returned may be lost a moment
     * later, as every lease may.
     *
     * @return the lease of the term
     * @throws InterruptedException if interrupted before or during the wait; the candidature goes on
     * @throws IllegalStateException if it is not standing, or resigns during the wait
     * @throws SelfDeadlockException if a callback of this election calls it while it does not lead: it stands again
     *     only when the callback has returned
     * @throws HoldfastException why the candidature has ended: the store cannot be used as it is set up, or the client
     *     is closed
     */
    Lease awaitLeadership() throws InterruptedException;

    /**
     * Waits for a limited time until this candidate leads.
     *
     * @param wait how long to wait at most
     * @return the lease of the term, or empty if this candidate does not lead by then. That does not say that somebody
     *     else does: the store may be out of reach, which {@link #leader()} tells
     * @throws InterruptedException if interrupted before or during the wait; the candidature goes on
     * @throws IllegalArgumentException if the time is negative
     * @throws IllegalStateException as {@link #awaitLeadership()}
     * @throws SelfDeadlockException as {@link #awaitLeadership()}
     * @throws HoldfastException as {@link #awaitLeadership()}
     */
    Optional<Lease> awaitLeadership(Duration wait) throws InterruptedException;

    /** {@return the lease of the term, if this candidate leads at this moment, computed from the clock} */
    Optional<Lease> currentTerm();

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
