package dev.holdfast.jdbc;

import static dev.holdfast.jdbc.RealDatabase.ask;
import static dev.holdfast.jdbc.RealDatabase.execute;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.rig.Rig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What {@code docs/do-you-need-a-lock.md} shows works as it stands there. */
@ParameterizedClass
@EnumSource(names = {"H2", "POSTGRESQL", "MARIADB_COUNTING_MATCHES", "MYSQL_COUNTING_MATCHES"})
final class DoYouNeedALockTest {
    private static final Path PAGE = Path.of("../../docs/do-you-need-a-lock.md");
    private static final Path THIS = Path.of("src/test/java/dev/holdfast/jdbc/DoYouNeedALockTest.java");

    @RegisterExtension
    static final Rig rig = new Rig();

    static final RealDatabase.Servers servers = new RealDatabase.Servers(rig);

    @Parameter
    RealDatabase database;

    private RawPool pool;

    @BeforeEach
    void prepare() throws InterruptedException, SQLException {
        pool = servers.pool(database);
        for (String table : List.of("account", "job", "sent_invoice", "holdfast_fence")) {
            execute(pool, "DROP TABLE IF EXISTS " + table);
        }
        execute(
                pool,
                "CREATE TABLE account (id INT PRIMARY KEY, owner VARCHAR(50), balance INT NOT NULL, version INT,"
                        + " fence BIGINT)");
        execute(pool, "INSERT INTO account VALUES (42, 'Bob', 150, 0, 0)");
        execute(pool, "CREATE TABLE job (id INT PRIMARY KEY, done INT NOT NULL)");
        execute(pool, "INSERT INTO job VALUES (1, 0), (2, 0)");
    }

    @Test
    void everyJavaSnippetIsPartOfThisTest() throws IOException {
        String code = flat(Files.readString(THIS));
        List<String> missing = snippets("java").stream()
                .filter(snippet -> !code.contains(flat(snippet)))
                .toList();
        assertThat(missing).isEmpty();
        assertThat(snippets("java")).hasSizeGreaterThan(4);
    }

    @Test
    void everyStatementRuns() throws IOException, SQLException {
        List<String> statements = snippets("sql");
        assertThat(statements).hasSizeGreaterThan(3);
        for (String statement : statements) {
            execute(pool, statement);
        }
        assertThat(ask(pool, "SELECT balance FROM account")).isEqualTo("50");
        execute(pool, statements.get(0));
        assertThat(ask(pool, "SELECT balance FROM account")).isEqualTo("50");
    }

    @Test
    void aJobThatSomebodyHasIsSkipped() throws IOException, SQLException {
        String takes = snippets("sql").stream()
                .filter(sql -> sql.contains("SKIP LOCKED"))
                .findFirst()
                .orElseThrow();
        try (Connection one = pool.getConnection();
                Connection other = pool.getConnection()) {
            one.setAutoCommit(false);
            other.setAutoCommit(false);
            assertThat(ask(one, takes)).isEqualTo("1");
            assertThat(ask(other, takes)).isEqualTo("2");
            one.rollback();
            other.rollback();
            one.setAutoCommit(true);
            other.setAutoCommit(true);
        }
    }

    @Test
    void optimisticUpdate() throws InterruptedException, SQLException {
        OptimisticTable accounts = OptimisticTable.byVersion("account", "id", "version");
        accounts.update(pool, 42, row -> Map.of("balance", row.number("balance") - 100));

        try (Connection connection = pool.getConnection()) {
            Map<String, Object> asRead =
                    accounts.read(connection, 42).orElseThrow().compared();
            // … an hour later, perhaps in another process:
            accounts.replace(pool, 42, asRead, Map.of("owner", "Ann"));
        }
        assertThat(ask(pool, "SELECT balance FROM account WHERE owner = 'Ann'")).isEqualTo("50");
    }

    @Test
    void tableLock() throws SQLException {
        if (database == RealDatabase.H2) {
            assertThatThrownBy(this::renumberAlone).hasMessageContaining("H2 has no table locks");
        } else {
            renumberAlone();
        }
        assertThat(ask(pool, "SELECT MAX(id) FROM job")).isEqualTo(database == RealDatabase.H2 ? "2" : "102");
    }

    private void renumberAlone() throws SQLException {
        TableLock.exclusive("account", "job").run(pool, connection -> renumber(connection));
    }

    @Test
    void distributedLockAndFence() throws InterruptedException, SQLException {
        Holdfast locks = Holdfast.builder().store(JdbcStore.on(pool)).build();
        locks.lock("report/2026-11").run(lease -> buildReport(lease));
        try (locks) {
            JdbcFence fence = JdbcFence.column("account/42", "account", "id", 42, "fence");
            try (Lease lease = locks.lock("account/42").acquire()) {
                long balance = askTheBank(42);
                fence.run(pool, lease, connection -> store(connection, 42, balance));
            }

            JdbcFence sideFence =
                    JdbcFence.sideTable("catalog", FenceTable.usual().create(pool));
            try (Lease lease = locks.lock("catalog").acquire()) {
                sideFence.run(pool, lease, connection -> renumber(connection));
            }
        }
        assertThat(ask(pool, "SELECT balance FROM account WHERE fence > 0")).isEqualTo("4200");
        assertThat(ask(pool, "SELECT MAX(id) FROM job")).isEqualTo("102");
        assertThat(ask(pool, "SELECT done FROM job WHERE id = 101")).isEqualTo("0");
    }

    private static void buildReport(Lease lease) {
        assertThat(lease.isHeld()).isTrue();
    }

    private static long askTheBank(int account) {
        return 100L * account;
    }

    private static void store(Connection connection, int account, long balance) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("UPDATE account SET balance = ? WHERE id = ?")) {
            statement.setLong(1, balance);
            statement.setInt(2, account);
            statement.executeUpdate();
        }
    }

    private static void renumber(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("UPDATE job SET id = id + 100");
        }
    }

    private static List<String> snippets(String language) throws IOException {
        Matcher blocks =
                Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL).matcher(Files.readString(PAGE));
        List<String> found = new ArrayList<>();
        while (blocks.find()) {
            found.add(blocks.group(1).strip());
        }
        return found;
    }

    /** Without the breaks and blanks that a formatter sets. */
    private static String flat(String code) {
        return code.replaceAll("\\s+", "");
    }
}
