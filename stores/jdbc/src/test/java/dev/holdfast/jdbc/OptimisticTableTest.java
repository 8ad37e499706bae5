package dev.holdfast.jdbc;

import static dev.holdfast.jdbc.RealDatabase.ask;
import static dev.holdfast.jdbc.RealDatabase.execute;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.HoldfastException;
import dev.holdfast.rig.Rig;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource
final class OptimisticTableTest {
    @RegisterExtension
    static final Rig rig = new Rig();

    static final RealDatabase.Servers servers = new RealDatabase.Servers(rig);

    private static final OptimisticTable BY_VERSION = OptimisticTable.byVersion("item", "id", "version");
    private static final OptimisticTable BY_TIME = OptimisticTable.byTimestamp("item", "id", "changed");
    private static final OptimisticTable BY_COARSE_TIME = OptimisticTable.byTimestamp("item", "id", "coarse");
    private static final OptimisticTable BY_VALUE = OptimisticTable.byValue("item", "id", "amount");
    private static final List<OptimisticTable> ALL = List.of(BY_VERSION, BY_TIME, BY_COARSE_TIME, BY_VALUE);

    @Parameter
    RealDatabase database;

    private RawPool pool;

    @BeforeEach
    void prepare() throws InterruptedException, SQLException {
        pool = servers.pool(database);
        String time = database.isMySqlFamily() ? "DATETIME" : "TIMESTAMP";
        execute(pool, "DROP TABLE IF EXISTS item");
        execute(
                pool,
                "CREATE TABLE item (id INT PRIMARY KEY, amount INT, name VARCHAR(50), price DECIMAL(10, 2), version INT,"
                        + " changed " + time + "(6) NULL, coarse " + time + "(0) NULL, on_day DATE NULL)");
        execute(pool, "INSERT INTO item (id, amount, name, price) VALUES (1, 0, 'Screw', 1.50), (2, 0, NULL, NULL)");
    }

    @Test
    void noUpdateIsLost() throws InterruptedException, SQLException, ExecutionException {
        int threads = 4;
        int times = 8;
        for (OptimisticTable table : ALL) {
            execute(pool, "UPDATE item SET amount = 0 WHERE id = 1");
            ExecutorService workers = Executors.newFixedThreadPool(threads);
            try {
                List<Future<?>> all = new ArrayList<>();
                for (int i = 0; i < threads; i++) {
                    all.add(workers.submit(() -> {
                        for (int n = 0; n < times; n++) {
                            table.withAttempts(500).update(pool, 1, OptimisticTableTest::oneMore);
                        }
                        return null;
                    }));
                }
                for (Future<?> one : all) {
                    one.get();
                }
            } finally {
                workers.shutdownNow();
            }
            assertThat(ask(pool, "SELECT amount FROM item WHERE id = 1")).isEqualTo(Integer.toString(threads * times));
            assertThat(ask(pool, "SELECT amount FROM item WHERE id = 2")).isEqualTo("0");
        }
        pool.assertUnchanged();
    }

    @Test
    void somebodyWhoInterferesEachTimeIsReportedAfterTheLastAttempt() throws SQLException {
        RawPool others = pool;
        for (OptimisticTable table : ALL) {
            AtomicInteger runs = new AtomicInteger();
            execute(pool, "UPDATE item SET amount = 0, name = 'Screw' WHERE id = 1");
            assertThatThrownBy(() -> table.withAttempts(4).update(pool, 1, row -> {
                        runs.incrementAndGet();
                        interfere(others, table);
                        return Map.of("name", "Nail");
                    }))
                    .isInstanceOfSatisfying(UpdateConflictException.class, conflict -> {
                        assertThat(conflict.table()).isEqualTo("item");
                        assertThat(conflict.attempts()).isEqualTo(4);
                    })
                    .hasMessageContaining("4 attempts")
                    .hasMessageContaining("nothing was changed");
            assertThat(runs).hasValue(4);
            assertThat(ask(pool, "SELECT name FROM item WHERE id = 1")).isEqualTo("Screw");
            assertThat(ask(pool, "SELECT amount FROM item WHERE id = 1")).isEqualTo("4");
        }
        pool.assertUnchanged();
    }

    @Test
    void whatWasReadIsReplacedOnceOnly() throws InterruptedException, SQLException {
        for (OptimisticTable table : ALL) {
            execute(pool, "UPDATE item SET amount = 0 WHERE id = 1");
            Map<String, Object> read = compared(table);
            Map<String, Object> now = table.replace(pool, 1, read, Map.of("amount", 10));
            assertThat(compared(table)).isEqualTo(now).isNotEqualTo(read);
            assertThatThrownBy(() -> table.replace(pool, 1, read, Map.of("amount", 20)))
                    .isInstanceOf(UpdateConflictException.class)
                    .hasMessageContaining("since it was read");
            assertThat(ask(pool, "SELECT amount FROM item WHERE id = 1")).isEqualTo("10");
            table.replace(pool, 1, now, Map.of("amount", 30));
            assertThat(ask(pool, "SELECT amount FROM item WHERE id = 1")).isEqualTo("30");
            assertThatThrownBy(() -> table.replace(pool, 99, now, Map.of("amount", 40)))
                    .isInstanceOf(UpdateConflictException.class);
        }
    }

    @Test
    void theRowIsReturnedAsItIsNow() throws InterruptedException, SQLException {
        for (OptimisticTable table : ALL) {
            Row row = table.update(pool, 1, old -> Map.of("NAME", "Bolt")).orElseThrow();
            assertThat(row.text("name")).isEqualTo("Bolt");
            assertThat(row.decimal("Price")).isEqualByComparingTo(new BigDecimal("1.50"));
            assertThat(row.compared()).isEqualTo(compared(table));
            assertThat(table.update(pool, 99, old -> Map.of("name", "Bolt"))).isEmpty();
            Row same = table.update(pool, 1, old -> Map.of()).orElseThrow();
            assertThat(same.compared()).isEqualTo(row.compared());
        }
    }

    @Test
    void writingWhatIsThereAlreadyIsNoConflict() throws InterruptedException, SQLException {
        for (OptimisticTable table : ALL) {
            assertThat(table.update(pool, 1, row -> Map.of("amount", row.number("amount"), "name", "Screw")))
                    .isPresent();
            assertThat(table.update(pool, 1, row -> Map.of("amount", row.number("amount"), "name", "Screw")))
                    .isPresent();
        }
        OptimisticTable names = OptimisticTable.byValue("item", "id", "name", "price");
        assertThat(names.update(pool, 2, row -> Collections.singletonMap("name", null)))
                .isPresent();
        assertThatThrownBy(() -> names.replace(pool, 2, Map.of("name", "x", "price", 1), Map.of("name", "x")))
                .isInstanceOf(UpdateConflictException.class);
    }

    @Test
    void textsAreComparedExactlyAndNullIsAValue() throws InterruptedException, SQLException {
        OptimisticTable names = OptimisticTable.byValue("item", "id", "name");
        for (String almost : List.of("screw", "Screw ", "")) {
            assertThatThrownBy(() -> names.replace(pool, 1, Map.of("name", almost), Map.of("amount", 9)))
                    .isInstanceOf(UpdateConflictException.class);
        }
        names.replace(pool, 1, Map.of("name", "Screw"), Collections.singletonMap("name", null));
        assertThatThrownBy(() -> names.replace(pool, 1, Map.of("name", "Screw"), Map.of("amount", 9)))
                .isInstanceOf(UpdateConflictException.class);
        names.replace(pool, 1, Collections.singletonMap("name", null), Map.of("name", "Schraube \uD83D\uDD29"));
        names.update(pool, 1, row -> Map.of("amount", 5));
        assertThat(ask(pool, "SELECT amount FROM item WHERE id = 1")).isEqualTo("5");
        OptimisticTable prices = OptimisticTable.byValue("item", "id", "price");
        prices.update(pool, 1, row -> Map.of("price", row.decimal("price").add(BigDecimal.ONE)));
        assertThat(ask(pool, "SELECT price FROM item WHERE id = 1")).isEqualTo("2.50");
    }

    @Test
    void aTimeAheadOfTheClockStillGrows() throws InterruptedException, SQLException {
        execute(pool, "UPDATE item SET changed = '2037-12-31 23:59:59', coarse = '2037-12-31 23:59:59' WHERE id = 1");
        for (OptimisticTable table : List.of(BY_TIME, BY_COARSE_TIME)) {
            Map<String, Object> before = compared(table);
            table.update(pool, 1, OptimisticTableTest::oneMore);
            String column = before.keySet().iterator().next();
            String after = (String) compared(table).get(column);
            assertThat(after).isGreaterThan((String) before.get(column));
        }
    }

    @Test
    void aColumnThatCannotTellChangesApartIsRefused() throws SQLException {
        OptimisticTable days = OptimisticTable.byTimestamp("item", "id", "on_day");
        execute(pool, "UPDATE item SET on_day = '2037-12-31' WHERE id = 1");
        assertThatThrownBy(() -> days.update(pool, 1, OptimisticTableTest::oneMore))
                .isInstanceOf(HoldfastException.class)
                .hasMessageContaining("seconds");
        assertThat(ask(pool, "SELECT amount FROM item WHERE id = 1")).isEqualTo("0");
    }

    @Test
    void theCallersTransactionIsJoined() throws SQLException {
        for (OptimisticTable table : ALL) {
            try (Connection connection = pool.getConnection()) {
                assertThatThrownBy(() -> table.update(connection, 1, OptimisticTableTest::oneMore))
                        .isInstanceOf(IllegalStateException.class);
                connection.setAutoCommit(false);
                table.update(connection, 1, OptimisticTableTest::oneMore);
                connection.rollback();
                assertThatThrownBy(() -> table.update(connection, 1, row -> {
                            interfere(pool, table);
                            return Map.of("name", "Nail");
                        }))
                        .isInstanceOf(UpdateConflictException.class);
                connection.rollback();
                connection.setAutoCommit(true);
            }
            assertThat(ask(pool, "SELECT name FROM item WHERE id = 1")).isEqualTo("Screw");
        }
        assertThat(ask(pool, "SELECT amount FROM item WHERE id = 1")).isEqualTo(Integer.toString(ALL.size()));
    }

    @Test
    void aPoolOfStrictConnectionsWithoutAutocommitWorks() throws InterruptedException, SQLException {
        RawPool strict = servers.pool(database, false, Connection.TRANSACTION_REPEATABLE_READ);
        try (Connection reader = strict.getConnection()) {
            // Given back within a transaction: its old snapshot must not be taken for the row.
            ask(reader, "SELECT amount FROM item WHERE id = 1");
        }
        execute(pool, "UPDATE item SET amount = 7 WHERE id = 1");
        for (OptimisticTable table : ALL) {
            table.update(strict, 1, OptimisticTableTest::oneMore);
        }
        assertThat(ask(pool, "SELECT amount FROM item WHERE id = 1")).isEqualTo("11");
        strict.assertUnchanged();
    }

    @Test
    void badInputIsRefusedBeforeAnythingIsAsked() {
        assertThatThrownBy(() -> OptimisticTable.byVersion("item; DROP TABLE item", "id", "version"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> OptimisticTable.byValue("item", "id")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> BY_VALUE.withAttempts(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> BY_VERSION.update(pool, 1, row -> Map.of("amount = 1, name", 1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> BY_VERSION.update(pool, 1, row -> Map.of("version", 1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("version");
        assertThatThrownBy(() -> BY_VERSION.replace(pool, 1, Map.of("amount", 1), Map.of("amount", 1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(
                        () -> OptimisticTable.byVersion("item", "id", "nothing").update(pool, 1, row -> Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("nothing");
        assertThatThrownBy(() -> OptimisticTable.byVersion("item", "amount", "version")
                        .update(pool, 0, row -> Map.of("name", "x")))
                .isExactlyInstanceOf(HoldfastException.class)
                .hasMessageContaining("2");
    }

    private static Map<String, Object> oneMore(Row row) {
        return Map.of("amount", row.number("amount") + 1);
    }

    /** Changes the row in the way that the table's other writers do. */
    private static void interfere(RawPool others, OptimisticTable table) {
        try {
            table.update(others, 1, OptimisticTableTest::oneMore);
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }

    private Map<String, Object> compared(OptimisticTable table) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            return table.read(connection, 1).orElseThrow().compared();
        }
    }
}
