package dev.holdfast.jdbc.session;

import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.jdbc.dialect.Database;
import dev.holdfast.spi.Claim;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * A lock of a session whose epochs and holders are in tables. The order of steps is what makes a token right: the lock
 * first, then the epoch, drawn durably over another connection, then a sign of life from the connection that holds the
 * lock. A lock that was lost before its epoch was drawn is noticed by the last step. Thread-safe.
 */
public final class Registered implements SessionLock {
    private final Database database;
    private final BareLock lock;
    private final Register register;

    /**
     * Makes it.
     *
     * @param database for everything but the lock itself
     * @param lock the lock itself
     * @param register the tables
     */
    public Registered(Database database, BareLock lock, Register register) {
        this.database = database;
        this.lock = lock;
        this.register = register;
    }

    @Override
    public boolean prepare(Claim claim) {
        return database.runSeveral("acquire", claim.describe(), connection -> {
            lock.prepare(connection, claim.parts());
            return true;
        });
    }

    @Override
    public Attempt take(Seat seat, Claim claim) throws SQLException {
        // Known before anything is locked: whatever happens then, it is known which session may have the lock.
        if (lock.keepsTransaction()) {
            seat.forgetSession();
        } else if (seat.backend() == 0) {
            seat.isHeldBy(register.backendOf(seat.connection()), 0);
        }
        if (!lock.tryLock(seat.connection(), claim.parts(), seat::isHeldBy)) {
            Optional<String> mismatch = lock.shares() ? register.mismatch(claim) : Optional.empty();
            return mismatch.<Attempt>map(Attempt.Mismatched::new).orElseGet(Attempt.Refused::new);
        }
        Attempt drawn = register.draw(claim, seat.backend());
        if (!(drawn instanceof Attempt.Taken)) {
            lock.unlock(seat.connection(), claim.parts());
        } else if (register.backendOf(seat.connection()) != seat.backend()) {
            // The one that was known may serve somebody else by now.
            seat.forgetSession();
            throw new StoreMisconfiguredException(
                    "the connection has changed its session of the database, probably because"
                            + " of a transaction pooler; use strategy=lease behind one");
        }
        return drawn;
    }

    @Override
    public boolean giveBack(Seat seat, Claim claim) throws SQLException {
        return lock.unlock(seat.connection(), claim.parts());
    }

    @Override
    public void end(SessionId session) {
        register.end(session);
    }

    @Override
    public boolean shares() {
        return lock.shares();
    }

    @Override
    public long sessionOf(Seat seat) throws SQLException {
        return register.backendOf(seat.connection());
    }

    @Override
    public void strike(List<Claim> claims) {
        register.clear(claims);
    }

    @Override
    public Roll read(String name) {
        return register.read(name);
    }

    @Override
    public List<Roll> list(String prefix, int most) {
        return register.list(prefix, most);
    }

    @Override
    public void purge() {
        register.purge();
    }

    @Override
    public int evict(Roll entry, String by, String reason) {
        register.noteEviction(entry, by, reason);
        return register.terminate(entry);
    }
}
