package dev.holdfast.jdbc.session;

import dev.holdfast.spi.Claim;
import java.sql.SQLException;
import java.util.List;

/** A lock that the database itself keeps for one of its sessions, with epochs and a roll of who holds it. Thread-safe. */
public interface SessionLock {
    /**
     * Does what has to be done before names are locked, while no connection is kept: whoever keeps one of a pool must not
     * wait for another.
     *
     * @param claim what will be locked
     * @return true
     */
    boolean prepare(Claim claim);

    /**
     * Locks the names of a claim for the session of a seat, all or nothing, without waiting for a holder. Epochs are drawn
     * while the names are locked, durably, and the last thing that is heard is a sign of life of the locking session.
     *
     * @param seat keeps the lock while it is held; if this throws, it must be closed for good
     * @param claim what to lock
     * @return what became of it
     * @throws SQLException if the database fails
     */
    Attempt take(Seat seat, Claim claim) throws SQLException;

    /**
     * Gives the names of a claim back.
     *
     * @param seat what holds them; if this throws, it must be closed for good
     * @param claim what was locked
     * @return false if the session did not hold them any more
     * @throws SQLException if the database fails
     */
    boolean giveBack(Seat seat, Claim claim) throws SQLException;

    /** {@return whether names can be locked for less than their capacity} */
    boolean shares();

    /**
     * Tells which session of the database a seat has at the moment.
     *
     * @param seat the seat
     * @return the database's number of it
     * @throws SQLException if the database fails
     */
    long sessionOf(Seat seat) throws SQLException;

    /**
     * Takes a claim whose session has ended from the roll.
     *
     * @param claim the claim
     */
    void strike(Claim claim);

    /**
     * Reads the roll.
     *
     * @param name a name
     * @return it; without holders if there are none
     */
    Entry read(String name);

    /**
     * Reads the roll.
     *
     * @param prefix what names begin with
     * @return those that somebody holds, sorted by name
     */
    List<Entry> list(String prefix);

    /**
     * Notes who takes a name away from some of its holders, and ends the sessions of those that still hold it with the same
     * epoch then.
     *
     * @param entry the name with the holders to evict, as they were read
     * @param by who
     * @param reason why
     * @return how many were evicted
     */
    int evict(Entry entry, String by, String reason);
}
