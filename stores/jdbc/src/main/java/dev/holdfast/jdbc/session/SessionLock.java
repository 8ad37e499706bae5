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
     * Gives the names of a claim back, which is not on the roll any more.
     *
     * @param seat what holds them; if this throws, it must be closed for good
     * @param claim what was locked
     * @return false if the session did not hold them any more
     * @throws SQLException if the database fails
     */
    boolean giveBack(Seat seat, Claim claim) throws SQLException;

    /**
     * Ends a session of this client whose connection was closed without an answer: it may live on at the server, with its
     * locks, and nobody uses it any more.
     *
     * @param session which one
     */
    void end(SessionId session);

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
     * Takes claims from the roll, together: those that are about to be given back, or whose session has ended.
     *
     * @param claims the claims, at least one
     */
    void strike(List<Claim> claims);

    /**
     * Reads the roll.
     *
     * @param name a name
     * @return it; without holders if there are none
     */
    Roll read(String name);

    /**
     * Reads the roll.
     *
     * @param prefix what names begin with
     * @param most how many names
     * @return those that somebody holds, sorted by name
     */
    List<Roll> list(String prefix, int most);

    /** Deletes what is left of names that nobody has used for long, if it is time for that. */
    void purge();

    /**
     * Notes who takes a name away from some of its holders, and ends the sessions of those that still hold it with the same
     * epoch then.
     *
     * @param entry the name with the holders to evict, as they were read
     * @param by who
     * @param reason why
     * @return how many were evicted
     */
    int evict(Roll entry, String by, String reason);
}
