package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Credentials;
import dev.holdfast.LockKind;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.jdbc.dialect.Dialect;
import dev.holdfast.rig.Rig;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.RenewOutcome;
import dev.holdfast.spi.StoreUri;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A user with exactly the rights that the page grants can do everything, on every database and with every strategy. */
final class GrantsTest {
    private static final Path PAGE = Path.of("../../docs/stores/jdbc-production.md");
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final String USER = "holdfast_client";

    /** H2 writes passwords in its own way, so this one has no letters that need quoting. */
    private static final String PASSWORD = "First1Password";

    @RegisterExtension
    static final Rig RIG = new Rig();

    private static final DialectServers SERVERS = new DialectServers(RIG);

    static Stream<Arguments> everything() {
        return Stream.of(Dialect.values())
                .flatMap(dialect -> Stream.of(Strategy.values())
                        .filter(strategy -> dialect != Dialect.H2 || strategy != Strategy.ADVISORY)
                        .map(strategy -> Arguments.of(dialect, strategy)));
    }

    @ParameterizedTest
    @MethodSource("everything")
    void grantedRightsAreEnough(Dialect dialect, Strategy strategy)
            throws SQLException, IOException, InterruptedException {
        try (TestContext context = new TestContext();
                Connection owner = SERVERS.connect(dialect)) {
            makeTables(dialect, strategy, context);
            makeUser(dialect, owner);
            for (String grant : grants(dialect, strategy)) {
                tell(owner, grant.replace(" app.", " " + catalog(dialect, owner) + "."));
            }
            JdbcStore factory = JdbcStore.at(address(dialect), () -> Credentials.of(USER, PASSWORD))
                    .withStrategy(strategy)
                    .withSchema(SchemaMode.VALIDATE);
            try (LockStore one = factory.open(context.context());
                    LockStore other = factory.open(context.hurried())) {
                // On H2 only an administrator sees the sessions of others.
                boolean sees = strategy == Strategy.LEASE || dialect != Dialect.H2;
                takeTurns(one, other, sees);
                if (strategy != Strategy.ADVISORY && sees) {
                    share(one, other);
                }
                evict(one, other, sees);
                // The row of a withdrawn claim stays for a minute.
                purge(
                        owner,
                        strategy == Strategy.LEASE
                                ? "holdfast_lock WHERE crowded = 0"
                                : "holdfast_session WHERE 1 = 1");
            }
        }
    }

    private static void takeTurns(LockStore one, LockStore other, boolean sees) {
        Claim first = TestContext.claim(LEASE, "a", "b");
        Claim second = TestContext.claim(LEASE, "a").queued(true);
        List<Grant> held = granted(one.tryAcquire(first));
        assertThat(other.tryAcquire(second)).isInstanceOf(AcquireOutcome.Contended.class);
        assertThat(other.poll(List.of(second)).get(0)).isInstanceOf(AcquireOutcome.Contended.class);
        assertThat(one.renew(held)).allMatch(RenewOutcome.Renewed.class::isInstance);
        if (sees) {
            assertThat(other.inspect("a").orElseThrow().holders()).hasSize(1);
            assertThat(other.list("", 10)).hasSize(2);
        }
        assertThat(one.release(held)).containsOnly(ReleaseOutcome.RELEASED);
        AtomicReference<List<Grant>> next = new AtomicReference<>();
        Awaitility.await().until(() -> {
            if (other.poll(List.of(second)).get(0) instanceof AcquireOutcome.Granted mine) {
                next.set(mine.grants());
            }
            return next.get() != null;
        });
        assertThat(other.release(next.get())).containsExactly(ReleaseOutcome.RELEASED);
        Claim gone = TestContext.claim(LEASE, "a");
        one.withdraw(gone, true);
        assertThat(one.tryAcquire(gone)).isInstanceOf(AcquireOutcome.Contended.class);
    }

    private static void share(LockStore one, LockStore other) {
        List<Grant> mine = granted(one.tryAcquire(permit()));
        List<Grant> yours = granted(other.tryAcquire(permit()));
        assertThat(one.tryAcquire(permit())).isInstanceOf(AcquireOutcome.Contended.class);
        one.release(mine);
        other.release(yours);
    }

    private static Claim permit() {
        Claim whole = TestContext.claim(LEASE, "permits");
        return new Claim(
                List.of(new Claim.Part("permits", LockKind.SEMAPHORE, 1, 2)),
                whole.owner(),
                whole.lease(),
                whole.holder(),
                false);
    }

    private static void evict(LockStore one, LockStore other, boolean allowed) {
        List<Grant> held = granted(one.tryAcquire(TestContext.claim(LEASE, "evicted")));
        if (allowed) {
            assertThat(other.evict("evicted", OptionalLong.of(held.get(0).epoch()), "test", "a reason"))
                    .isEqualTo(1);
            Awaitility.await()
                    .until(() ->
                            other.inspect("evicted").orElseThrow().holders().isEmpty());
        } else {
            one.release(held);
        }
    }

    /** The other client purges all the time; it is only told that it is time. */
    private static void purge(Connection owner, String rows) throws SQLException {
        tell(owner, "DELETE FROM " + rows + " AND evicted_at IS NOT NULL");
        tell(owner, "UPDATE holdfast_meta SET floor_epoch = " + (1L << 50));
        Awaitility.await().untilAsserted(() -> {
            tell(owner, "UPDATE holdfast_meta SET purged_at = 0");
            assertThat(ask(owner, "SELECT COUNT(*) FROM " + rows)).isZero();
        });
        // What the next strategy draws should not begin above it.
        tell(owner, "UPDATE holdfast_meta SET floor_epoch = 0");
    }

    @ParameterizedTest
    @EnumSource
    void passwordThatWasChangedIsAskedForAtTheNextConnection(Dialect dialect)
            throws SQLException, InterruptedException {
        try (TestContext context = new TestContext();
                Connection owner = SERVERS.connect(dialect)) {
            makeTables(dialect, Strategy.LEASE, context);
            String user = dialect == Dialect.H2 ? "ROTATED" : "rotated";
            AtomicReference<String> password = new AtomicReference<>(PASSWORD);
            String name = nameOf(dialect, user);
            tell(owner, "CREATE USER " + name + identified(dialect, PASSWORD));
            String on = dialect.isMySqlFamily() ? catalog(dialect, owner) + "." : "";
            for (String table : List.of("lock", "claim", "meta")) {
                tell(owner, "GRANT SELECT, INSERT, UPDATE, DELETE ON " + on + "holdfast_" + table + " TO " + name);
            }
            if (dialect == Dialect.POSTGRESQL) {
                tell(owner, "GRANT USAGE ON SCHEMA public TO " + name);
            }
            JdbcStore factory = JdbcStore.at(address(dialect), () -> Credentials.of(user, password.get()))
                    .withNotifications(false)
                    .withSchema(SchemaMode.VALIDATE);
            try (LockStore before = factory.open(context.context())) {
                granted(before.tryAcquire(TestContext.claim(LEASE, "before " + dialect)));
                tell(owner, changed(dialect, name, "Second2Password"));
                password.set("Second2Password");
                try (LockStore after = factory.open(context.context())) {
                    granted(after.tryAcquire(TestContext.claim(LEASE, "after " + dialect)));
                }
                granted(before.tryAcquire(TestContext.claim(LEASE, "still " + dialect)));
                endSessionsOf(dialect, owner, user);
                Awaitility.await()
                        .ignoreExceptionsInstanceOf(StoreUnavailableException.class)
                        .untilAsserted(() -> granted(before.tryAcquire(TestContext.claim(LEASE, "again " + dialect))));
            }
        }
    }

    /** Whoever was connected has to connect anew, which the old password does not allow any more. */
    private static void endSessionsOf(Dialect dialect, Connection owner, String user) throws SQLException {
        String sessions = switch (dialect) {
            case POSTGRESQL -> "SELECT pid FROM pg_stat_activity WHERE usename = '" + user + "'";
            case MARIADB, MYSQL -> "SELECT id FROM information_schema.processlist WHERE user = '" + user + "'";
            case H2 -> "SELECT session_id FROM information_schema.sessions WHERE user_name = '" + user + "'";
        };
        List<Long> ids = new ArrayList<>();
        try (Statement statement = owner.createStatement();
                ResultSet row = statement.executeQuery(sessions)) {
            while (row.next()) {
                ids.add(row.getLong(1));
            }
        }
        assertThat(ids).isNotEmpty();
        for (long id : ids) {
            tell(
                    owner,
                    switch (dialect) {
                        case POSTGRESQL -> "SELECT pg_terminate_backend(" + id + ")";
                        case MARIADB, MYSQL -> "KILL " + id;
                        case H2 -> "CALL ABORT_SESSION(" + id + ")";
                    });
        }
    }

    private static void makeTables(Dialect dialect, Strategy strategy, TestContext context)
            throws InterruptedException {
        String url = SERVERS.url(dialect) + "#strategy=" + strategy.name().toLowerCase(Locale.ROOT);
        try (LockStore store = new JdbcStoreProvider().open(StoreUri.parse(url, Map.of(), null), context.context())) {
            store.ping();
        }
    }

    /** Only an administrator may say how long H2 stays open, which it does here as long as the owner is connected. */
    private static String address(Dialect dialect) throws InterruptedException {
        return SERVERS.address(dialect).replace(";DB_CLOSE_DELAY=-1", "");
    }

    /** Without anything that the page does not grant. */
    private static void makeUser(Dialect dialect, Connection owner) throws SQLException {
        String name = nameOf(dialect, USER);
        if (dialect == Dialect.POSTGRESQL) {
            tell(
                    owner,
                    "DO $$ BEGIN IF EXISTS (SELECT 1 FROM pg_roles WHERE rolname = '" + USER
                            + "') THEN EXECUTE 'DROP OWNED BY " + USER + "'; EXECUTE 'DROP ROLE " + USER
                            + "'; END IF; END $$");
            tell(owner, "REVOKE ALL ON SCHEMA public FROM PUBLIC");
        } else {
            tell(owner, "DROP USER IF EXISTS " + name);
        }
        tell(owner, "CREATE USER " + name + identified(dialect, PASSWORD));
    }

    private static String nameOf(Dialect dialect, String user) {
        return dialect.isMySqlFamily() ? "'" + user + "'@'%'" : user;
    }

    private static String identified(Dialect dialect, String password) {
        return (dialect.isMySqlFamily() ? " IDENTIFIED BY '" : " PASSWORD '") + password + "'";
    }

    private static String changed(Dialect dialect, String name, String password) {
        return switch (dialect) {
            case H2 -> "ALTER USER " + name + " SET PASSWORD '" + password + "'";
            case POSTGRESQL -> "ALTER ROLE " + name + " PASSWORD '" + password + "'";
            case MARIADB, MYSQL -> "ALTER USER " + name + " IDENTIFIED BY '" + password + "'";
        };
    }

    private static String catalog(Dialect dialect, Connection owner) throws SQLException {
        return dialect.isMySqlFamily() ? owner.getCatalog() : "app";
    }

    /** The block of the page that is marked with the strategy and the database. */
    private static List<String> grants(Dialect dialect, Strategy strategy) throws IOException {
        String database = dialect.isMySqlFamily() ? "mysql" : dialect.name().toLowerCase(Locale.ROOT);
        String mark = "granted: " + strategy.name().toLowerCase(Locale.ROOT) + " " + database;
        Matcher block = Pattern.compile("<!-- " + mark + " -->\n```text\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(PAGE));
        assertThat(block.find()).as(mark).isTrue();
        return Stream.of(block.group(1).split(";\\s*"))
                .filter(statement -> !statement.isBlank())
                .toList();
    }

    private static List<Grant> granted(AcquireOutcome outcome) {
        assertThat(outcome).isInstanceOf(AcquireOutcome.Granted.class);
        return ((AcquireOutcome.Granted) outcome).grants();
    }

    private static void tell(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static long ask(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }
}
