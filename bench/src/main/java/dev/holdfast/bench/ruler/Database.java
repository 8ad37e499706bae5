package dev.holdfast.bench.ruler;

import static dev.holdfast.bench.ruler.Maker.HOLDFAST;
import static dev.holdfast.bench.ruler.Maker.ROW;
import static dev.holdfast.bench.ruler.Maker.SHEDLOCK;
import static dev.holdfast.bench.ruler.Maker.SPRING_JDBC;

import dev.holdfast.bench.ruler.Scenario.Kind;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.database.DatabaseServer;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.init.ScriptUtils;

/** What the databases have in common: the tables of those who do not make their own, and the scenarios. */
final class Database {
    /** Spring Integration asks ten times a second: whoever is kept waiting for any part of that meets it fairly. */
    private static final int KEPT_WAITING_MILLIS = 100;

    private static final int LEASES = 10_000;

    /** Of each of the two processes that wait. */
    private static final int WAITING_THREADS = 250;

    private final Rig rig;
    private final DatabaseServer server;

    Database(Rig rig, DatabaseServer server) {
        this.rig = rig;
        this.server = server;
    }

    /**
     * Prepares the server.
     *
     * @param script of Spring Integration for this database
     * @param timestamp the type that ShedLock's documentation has for this database
     * @param count asks the server what it was asked since it was started
     */
    Venue venue(String script, String timestamp, String count) {
        try {
            Connection connection = rig.keep(server.connect());
            ScriptUtils.executeSqlScript(
                    connection, new ClassPathResource("org/springframework/integration/jdbc/" + script));
            execute("CREATE TABLE shedlock (name VARCHAR(64) PRIMARY KEY, lock_until " + timestamp
                    + " NOT NULL, locked_at " + timestamp + " NOT NULL, locked_by VARCHAR(255) NOT NULL)");
            execute("CREATE TABLE bench_row (name VARCHAR(255) PRIMARY KEY)");
            DatabaseMetaData about = connection.getMetaData();
            AtomicLong questions = new AtomicLong();
            return new Venue(
                    server.access().jdbcUrlWithCredentials(),
                    about.getDatabaseProductName() + " " + about.getDatabaseProductVersion()
                            + ", commits are written but not forced to the disk",
                    // Each question is among those that the next one counts.
                    () -> number(connection, count) - questions.getAndIncrement());
        } catch (SQLException failed) {
            throw new IllegalStateException("the database cannot be prepared", failed);
        }
    }

    void execute(String sql) {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException failed) {
            throw new IllegalStateException("the database cannot be prepared: " + sql, failed);
        }
    }

    /** Locks that nobody else wants. */
    static Stream<Scenario> own(Target... targets) {
        Maker[] all = {HOLDFAST, SPRING_JDBC, SHEDLOCK, ROW};
        return Stream.of(Scenarios.solo(all).asking(targets), Scenarios.spread(all));
    }

    /**
     * What else is measured on every database. Races first: they share their processes.
     *
     * @param share of the time of Spring Integration for a hand-over
     */
    static Stream<Scenario> shared(double share) {
        Maker[] both = {HOLDFAST, SPRING_JDBC};
        Stream<Scenario> races = Stream.of(
                Scenarios.multi(both),
                Scenarios.handOff(KEPT_WAITING_MILLIS, both).asking(Target.quickerThan(HOLDFAST, SPRING_JDBC, share)),
                Scenarios.hot(2, 4, both).asking(Target.fasterThan(HOLDFAST, SPRING_JDBC, 50)));
        return Stream.of(
                        races,
                        Scenarios.waiters(both).stream(),
                        Stream.of(
                                Scenarios.hot(6, 1, both)
                                        .asking(
                                                Target.fasterThan(HOLDFAST, SPRING_JDBC, 10),
                                                Target.waitsNoLongerThan(HOLDFAST, SPRING_JDBC)),
                                waiting(),
                                Scenarios.memory(LEASES, both)),
                        // Nobody else renews by itself.
                        Scenarios.renewal(HOLDFAST).stream())
                .flatMap(each -> each);
    }

    private static Scenario waiting() {
        return Scenario.of(
                        "waiting-500",
                        "2 JVMs x 250 threads wait, against 2 JVMs x 1",
                        Kind.WAITING,
                        3,
                        WAITING_THREADS,
                        HOLDFAST)
                .asking(Target.manyWaitersAskNoMoreThanFew(HOLDFAST));
    }

    private static long number(Connection connection, String query) {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            if (!rows.next()) {
                throw new IllegalStateException("no answer to " + query);
            }
            return rows.getLong(1);
        } catch (SQLException failed) {
            throw new IllegalStateException("no answer to " + query, failed);
        }
    }
}
