package dev.holdfast.cli.demo;

import dev.holdfast.cli.store.Settings;
import dev.holdfast.cli.store.StoreChoice;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.Statement;
import java.util.Comparator;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * The database that a demonstration plays in: an embedded H2 that this process serves to the others, or the user's own;
 * and a directory for files. Everything is removed when it is closed. Used by one thread.
 */
final class DemoDatabase implements AutoCloseable {
    /** Everything that is made in the user's database begins with this. */
    static final String PREFIX = "holdfast_demo_";

    /** For those who sell; whoever locks asks again by itself. */
    private static final int MOST_DELETIONS = 20;

    private static final long BETWEEN_DELETIONS_NANOS = 50_000_000;
    private static final int PATIENCE_MILLIS = 60_000;
    private static final String PATIENT = ";LOCK_TIMEOUT=" + PATIENCE_MILLIS;
    private static final int SHORT_PATIENCE_MILLIS = 100;

    private final boolean embedded;
    private final Path directory;
    private final String url;
    private final Connection connection;
    private final List<String> tables;

    private DemoDatabase(boolean embedded, Path directory, String url, Connection connection, List<String> tables) {
        this.embedded = embedded;
        this.directory = directory;
        this.url = url;
        this.connection = connection;
        this.tables = tables;
    }

    /** Starts an H2 that processes of this machine can connect to, as long as this one lives. */
    static DemoDatabase embedded(List<String> tables) throws SQLException {
        // H2 reads it when it is first used; without it, other machines could knock.
        System.setProperty("h2.bindAddress", "127.0.0.1");
        Path directory = temporaryDirectory();
        String url = "jdbc:h2:file:" + directory.resolve("shop") + ";AUTO_SERVER=TRUE" + PATIENT;
        return open(true, directory, url, new Properties(), tables);
    }

    /** Connects to the user's database. */
    static DemoDatabase at(String jdbcUrl, List<String> tables) throws SQLException {
        return open(false, temporaryDirectory(), StoreChoice.driverUrl(jdbcUrl), password(), tables);
    }

    private static DemoDatabase open(
            boolean embedded, Path directory, String url, Properties password, List<String> tables)
            throws SQLException {
        try {
            Connection connection = DriverManager.getConnection(url, password);
            DemoDatabase database = new DemoDatabase(embedded, directory, url, connection, tables);
            database.dropTables();
            return database;
        } catch (SQLException | RuntimeException failure) {
            delete(directory);
            throw failure;
        }
    }

    /** Connects as the processes of a demonstration do, which have the password in the environment if they need it. */
    static Connection connect(String url) throws SQLException {
        return DriverManager.getConnection(url, password());
    }

    private static Properties password() {
        Properties properties = new Properties();
        String password = System.getenv().getOrDefault(Settings.Key.PASSWORD.variable(), "");
        if (!password.isEmpty()) {
            properties.setProperty("password", password);
        }
        return properties;
    }

    String url() {
        return url;
    }

    /** {@return the same database as a store of locks, in tables of its own} */
    String lockUrl() {
        return url.replace(PATIENT, "") + "#prefix=" + PREFIX + "lock_";
    }

    Path directory() {
        return directory;
    }

    void execute(String... statements) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    long number(String sql) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql);
                ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getLong(1);
        }
    }

    /**
     * Tells whether no row of some tables is locked; only for the embedded database.
     *
     * @return false if a row is locked, or an answer takes too long
     */
    boolean isUnlocked(List<String> names) throws SQLException {
        execute("SET LOCK_TIMEOUT " + SHORT_PATIENCE_MILLIS);
        try (Statement statement = connection.createStatement()) {
            for (String name : names) {
                statement
                        .executeQuery("SELECT * FROM " + PREFIX + name + " FOR UPDATE")
                        .close();
            }
            return true;
        } catch (SQLTimeoutException locked) {
            return false;
        } finally {
            execute("SET LOCK_TIMEOUT " + PATIENCE_MILLIS);
        }
    }

    @Override
    public void close() {
        try (connection) {
            dropTables();
            if (embedded) {
                end();
            }
        } catch (SQLException failed) {
            System.err.println("holdfast: tables that begin with " + PREFIX + " could not be removed");
        }
        delete(directory);
    }

    /**
     * Ends the embedded database although a process that was killed a moment ago may still have a session in it. While it
     * is open, H2 makes its lock file again wherever it is deleted, and the directory with it.
     */
    private void end() throws SQLException {
        execute("SHUTDOWN");
    }

    private void dropTables() throws SQLException {
        for (String table : tables) {
            execute("DROP TABLE IF EXISTS " + PREFIX + table);
        }
    }

    private static Path temporaryDirectory() {
        try {
            Path made = Files.createTempDirectory("holdfast-demo-");
            Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(made)));
            return made;
        } catch (IOException failed) {
            throw new DemoException("cannot make a directory for temporary files", failed);
        }
    }

    /** What is ending may still write here for a moment. */
    private static void delete(Path directory) {
        for (int tries = 1; !isDeleted(directory); tries++) {
            if (tries == MOST_DELETIONS) {
                System.err.println("holdfast: " + directory + " could not be removed");
                return;
            }
            LockSupport.parkNanos(BETWEEN_DELETIONS_NANOS);
        }
    }

    private static boolean isDeleted(Path directory) {
        if (!Files.exists(directory)) {
            return true;
        }
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(each);
            }
            return !Files.exists(directory);
        } catch (IOException | UncheckedIOException inUse) {
            return false;
        }
    }
}
