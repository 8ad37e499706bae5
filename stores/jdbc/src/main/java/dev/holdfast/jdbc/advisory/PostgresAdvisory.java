package dev.holdfast.jdbc.advisory;

import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.jdbc.dialect.Database;
import dev.holdfast.jdbc.dialect.Dialect;
import dev.holdfast.jdbc.dialect.Epochs;
import dev.holdfast.jdbc.dialect.Floor;
import dev.holdfast.jdbc.dialect.Pooler;
import dev.holdfast.jdbc.dialect.TablePlace;
import dev.holdfast.jdbc.session.Attempt;
import dev.holdfast.jdbc.session.Register;
import dev.holdfast.jdbc.session.Roll;
import dev.holdfast.jdbc.session.Seat;
import dev.holdfast.jdbc.session.SessionId;
import dev.holdfast.jdbc.session.SessionLock;
import dev.holdfast.spi.Claim;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;

/**
 * Advisory locks of PostgreSQL, at one statement to lock and one to unlock, neither of which writes anything.
 *
 * <p><b>The epoch</b> is the next value of a sequence, drawn by the locking statement itself after the lock function has
 * returned: the session that draws it is the one that holds the lock, and its answer is the sign of life. A sequence does
 * not roll back. It survives a crash too, but for one gap: the server logs 32 values ahead, and the session that logged
 * them waits for the disk, while one that draws from those 32 in the same moment does not. Therefore the statement also
 * tells whether everything logged so far is on the disk; if not, the epoch is written to the table of epochs, and the
 * commit of that waits.
 *
 * <p><b>Who holds it</b> is in the server's own views: {@code pg_locks} has the session; the session's
 * {@code application_name} has epoch and time, and a row per session, written when it changes, has names for people. What
 * the session was called before is put back.
 *
 * <p>Thread-safe.
 */
public final class PostgresAdvisory implements SessionLock {
    private static final int MOST_KNOWN_NAMES = 10_000;

    /** A name that is not used is marked at one turn to purge and deleted at the next: it must be heard of in between. */
    private static final long LONGEST_KNOWN_NANOS = Floor.TURN.toNanos() / 2;

    private final Database database;
    private final Register register;
    private final AdvisorySql sql;
    private final String place;

    /** Names that have a row, and since when; the oldest is forgotten when there are too many. Guarded by its monitor. */
    private final Map<String, Long> known = new LinkedHashMap<>();

    /** What was written of each of the driver's connections last. */
    private final Map<Object, String> described = Collections.synchronizedMap(new WeakHashMap<>());

    /**
     * Makes it.
     *
     * @param database for everything but the lock itself
     * @param register the tables
     * @param epochs where epochs begin
     * @param prefix what their names begin with
     * @param place where they are
     */
    public PostgresAdvisory(Database database, Register register, Epochs epochs, String prefix, String place) {
        this.database = database;
        this.register = register;
        this.sql = new AdvisorySql(epochs, prefix, place);
        this.place = place;
        database.run("begin", "the store", connection -> update(connection, sql.deleteDeadSeats()));
    }

    /**
     * Tells of {@code s.name} whether a session has its advisory lock.
     *
     * @param dialect the dialect
     * @param prefix what the names of the tables begin with
     * @return a condition that is true if none has it; where the tables know all holders it is always true
     */
    public static String isFree(Dialect dialect, String prefix) {
        return dialect == Dialect.POSTGRESQL
                ? AdvisorySql.isFree(new TablePlace(dialect, prefix).expression())
                : "1 = 1";
    }

    /**
     * Raises the sequence to the database's time and an hour for each generation, so that epochs follow those of other
     * strategies, and those of a server that was replaced by its replica. Done before the first draw of every session, so
     * that no session of a new server draws what the old one has drawn or still draws. One after another, and while nobody
     * draws: otherwise the later could set it back below what was drawn.
     */
    private void raiseSequence() {
        database.run("begin", "the store", connection -> {
            try (Statement statement = connection.createStatement()) {
                statement.executeQuery(sql.raiseSequence()).close();
                return true;
            }
        });
    }

    @Override
    public Attempt take(Seat seat, Claim claim) throws SQLException {
        describe(seat, claim);
        List<Long> epochs = new ArrayList<>();
        boolean durable = true;
        for (Claim.Part part : claim.parts()) {
            Drawn drawn = lock(seat, claim, part, epochs.isEmpty());
            if (drawn.epoch == 0) {
                unlock(seat, claim.parts().subList(0, epochs.size()));
                return new Attempt.Refused();
            }
            epochs.add(drawn.epoch);
            durable &= drawn.durable;
        }
        if (!durable || epochs.size() > 1) {
            note(claim, epochs);
            if (sessionOf(seat) != seat.backend()) {
                throw pooler(seat);
            }
        }
        return new Attempt.Taken(epochs);
    }

    /** What a locking statement answers; epoch 0 if the lock is taken. */
    private record Drawn(long epoch, boolean durable) {}

    private Drawn lock(Seat seat, Claim claim, Claim.Part part, boolean first) throws SQLException {
        try (PreparedStatement statement = seat.connection().prepareStatement(sql.lock())) {
            statement.setBoolean(1, claim.parts().size() == 1);
            statement.setLong(2, seat.backend());
            statement.setLong(3, AdvisoryKey.of(place, part.name()));
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                if (first) {
                    seat.wasCalled(row.getString(3));
                }
                if (row.getLong(2) != seat.backend()) {
                    throw pooler(seat);
                }
                return new Drawn(row.getLong(1), row.getBoolean(4));
            }
        }
    }

    /** No session is ended then: whichever it was, it may serve somebody else by now. */
    private static StoreMisconfiguredException pooler(Seat seat) {
        seat.forgetSession();
        return new StoreMisconfiguredException(
                "there is a pooler between the client and the server, which may give every transaction another"
                        + " session, so that a session's lock protects nothing; connect to the server itself, or use"
                        + " strategy=lease");
    }

    /** Makes a row for each name, so that it can be listed; now and then. */
    @Override
    public boolean prepare(Claim claim) {
        for (Claim.Part part : claim.parts()) {
            long now = System.nanoTime();
            synchronized (known) {
                Long since = known.get(part.name());
                if (since != null && now - since < LONGEST_KNOWN_NANOS) {
                    continue;
                }
            }
            database.run("acquire", part.name(), connection -> update(connection, sql.introduce(), part.name()));
            synchronized (known) {
                known.remove(part.name());
                if (known.size() >= MOST_KNOWN_NAMES) {
                    known.remove(known.keySet().iterator().next());
                }
                known.put(part.name(), now);
            }
        }
        return true;
    }

    /**
     * Writes whose session it is, if that is not written yet; a session that is new may be one of another server. From then
     * on it is known which session has what is locked, unless the driver was told another number when it connected: then
     * there is a pooler, and nothing is locked.
     */
    private void describe(Seat seat, Claim claim) throws SQLException {
        Object driver = seat.greeting().<Object>map(Pooler.Greeting::driver).orElse(seat);
        String text = claim.holder().clientName() + "\n" + claim.holder().label();
        String before = described.get(driver);
        if (text.equals(before)) {
            seat.greeting().ifPresent(told -> seat.isHeldBy(told.backend(), 0));
            return;
        }
        if (before == null) {
            raiseSequence();
        }
        long backend = write(seat.connection(), claim.holder());
        if (seat.greeting().filter(told -> told.backend() != backend).isPresent()) {
            throw pooler(seat);
        }
        seat.isHeldBy(backend, 0);
        described.put(driver, text);
    }

    private long write(Connection connection, Claim.HolderInfo holder) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql.describe())) {
            statement.setString(1, holder.clientName());
            statement.setString(2, holder.label());
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    throw new SQLException("the server does not list the session", "08000");
                }
                return row.getLong(1);
            }
        }
    }

    /** Writes epochs down, and waits until that, and all that was logged before, is on the disk. */
    private void note(Claim claim, List<Long> epochs) {
        database.transact(Dialect.POSTGRESQL, "acquire", claim.describe(), connection -> {
            update(connection, sql.waitForTheDisk());
            for (int i = 0; i < epochs.size(); i++) {
                try (PreparedStatement statement = connection.prepareStatement(sql.note())) {
                    statement.setString(1, claim.parts().get(i).name());
                    statement.setLong(2, epochs.get(i));
                    statement.executeUpdate();
                }
            }
            return true;
        });
    }

    @Override
    public boolean giveBack(Seat seat, Claim claim) throws SQLException {
        return unlock(seat, claim.parts());
    }

    private boolean unlock(Seat seat, List<Claim.Part> parts) throws SQLException {
        boolean held = true;
        for (Claim.Part part : parts) {
            try (PreparedStatement statement = seat.connection().prepareStatement(sql.unlock())) {
                statement.setLong(1, AdvisoryKey.of(place, part.name()));
                statement.setString(2, seat.sessionName());
                try (ResultSet row = statement.executeQuery()) {
                    held &= row.next() && row.getBoolean(1);
                }
            }
        }
        return held;
    }

    @Override
    public boolean shares() {
        return false;
    }

    @Override
    public long sessionOf(Seat seat) throws SQLException {
        return register.backendOf(seat.connection());
    }

    /** There is no roll but the server's own. */
    @Override
    public void strike(List<Claim> claims) {}

    @Override
    public void end(SessionId session) {
        register.end(session);
    }

    @Override
    public Roll read(String name) {
        return register.read(sql.readOne(), name);
    }

    @Override
    public List<Roll> list(String begin, int most) {
        return register.list(sql.readMany(), begin, most);
    }

    @Override
    public void purge() {
        register.purge();
    }

    @Override
    public int evict(Roll entry, String by, String reason) {
        register.noteEviction(entry, by, reason);
        int evicted = 0;
        for (Roll.Holder holder : entry.holders()) {
            evicted += database.run("evict", entry.name(), connection -> terminate(connection, entry.name(), holder));
        }
        return evicted;
    }

    private int terminate(Connection connection, String name, Roll.Holder holder) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql.terminate())) {
            statement.setString(1, name);
            statement.setLong(2, holder.epoch());
            try (ResultSet row = statement.executeQuery()) {
                return row.next() && row.getBoolean(1) ? 1 : 0;
            }
        }
    }

    private static int update(Connection connection, String text, String... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(text)) {
            for (int i = 0; i < values.length; i++) {
                statement.setString(i + 1, values[i]);
            }
            return statement.executeUpdate();
        }
    }
}
