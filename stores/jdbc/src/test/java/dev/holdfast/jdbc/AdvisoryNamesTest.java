package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.database.Access;
import dev.holdfast.rig.mariadb.MariaDb;
import dev.holdfast.rig.mysql.MySql;
import dev.holdfast.rig.postgres.Postgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Advisory locks belong to the tables that a prefix leads to, however it is spelled. */
final class AdvisoryNamesTest {
    @RegisterExtension
    static final Rig RIG = new Rig();

    @Test
    void prefixesOfTheSameTablesExcludeEachOtherOnPostgres() throws SQLException, InterruptedException {
        Access access = Postgres.given(RIG);
        String url = access.jdbcUrlWithCredentials();
        try (Connection operator = access.connect()) {
            Sql.tell(operator, "CREATE SCHEMA IF NOT EXISTS spelled");
        }
        String within = url + "&currentSchema=spelled";
        List<String> inPublic =
                List.of(url + "#prefix=spelled_", url + "#prefix=public.spelled_", url + "#prefix=SPELLED_");
        List<String> inAnother = List.of(url + "#prefix=spelled.spelled_", within + "#prefix=spelled_");
        assertThatEachExcludesTheOthers(inPublic);
        assertThatEachExcludesTheOthers(inAnother);
        try (Holdfast one = Holdfast.connect(inPublic.get(0) + "&strategy=advisory");
                Holdfast other = Holdfast.connect(inAnother.get(0) + "&strategy=advisory")) {
            try (Lease lease = one.lock("apart").acquire()) {
                assertThat(other.lock("apart").tryAcquire()).as("other tables").isPresent();
                assertThat(lease.isHeld()).isTrue();
            }
        }
    }

    private static void assertThatEachExcludesTheOthers(List<String> urls) throws InterruptedException {
        List<Holdfast> clients = new ArrayList<>();
        try {
            urls.forEach(url -> clients.add(Holdfast.connect(url + "&strategy=advisory")));
            for (Holdfast holder : clients) {
                try (Lease lease = holder.lock("same").acquire()) {
                    for (Holdfast other : clients) {
                        assertThat(other.lock("same").tryAcquire())
                                .as("%s while %s holds", prefix(urls, clients, other), prefix(urls, clients, holder))
                                .isEmpty();
                        assertThat(other.inspect("same").orElseThrow().holders())
                                .extracting(seen -> seen.token())
                                .containsExactly(lease.token());
                    }
                }
            }
        } finally {
            clients.forEach(Holdfast::close);
        }
    }

    private static String prefix(List<String> urls, List<Holdfast> clients, Holdfast client) {
        return urls.get(clients.indexOf(client)).replaceFirst(".*#", "");
    }

    @Test
    void lockInATransactionExcludesThoseOfTheOtherSpelling() throws SQLException, InterruptedException {
        Access access = Postgres.given(RIG);
        RawPool pool = RIG.keep(new RawPool(
                access.jdbcUrl(), access.user(), access.password(), true, Connection.TRANSACTION_READ_COMMITTED));
        JdbcStore store = JdbcStore.on(pool).withStrategy(Strategy.ADVISORY);
        try (Holdfast locks =
                        Holdfast.connect(access.jdbcUrlWithCredentials() + "#strategy=advisory&prefix=public.inside_");
                Connection mine = access.connect();
                Lease lease = locks.lock("x").acquire()) {
            mine.setAutoCommit(false);
            assertThat(store.withPrefix("inside_").onConnection(mine).tryLock("x"))
                    .isFalse();
            assertThat(lease.isHeld()).isTrue();
        }
    }

    @Test
    void databasesOfOneMariaDbServerHaveLocksOfTheirOwn() throws SQLException, InterruptedException {
        assertThatDatabasesAreApart(MariaDb.given(RIG));
    }

    @Test
    void databasesOfOneMySqlServerHaveLocksOfTheirOwn() throws SQLException, InterruptedException {
        assertThatDatabasesAreApart(MySql.given(RIG));
    }

    private static void assertThatDatabasesAreApart(Access access) throws SQLException, InterruptedException {
        String second;
        try (Connection operator = access.connect()) {
            String first = operator.getCatalog();
            second = first + "_2";
            Sql.tell(operator, "CREATE DATABASE IF NOT EXISTS " + second);
            String url = access.jdbcUrlWithCredentials();
            String elsewhere = url.replace("/" + first + "?", "/" + second + "?");
            try (Holdfast one = Holdfast.connect(url + "#strategy=advisory");
                    Holdfast spelled =
                            Holdfast.connect(elsewhere + "#strategy=advisory&prefix=" + first + ".holdfast_");
                    Holdfast other = Holdfast.connect(elsewhere + "#strategy=advisory");
                    Lease lease = one.lock("both").acquire()) {
                Optional<Lease> there = other.lock("both").tryAcquire();
                assertThat(there).as("a lock of another database").isPresent();
                assertThat(other.inspect("both").orElseThrow().holders())
                        .extracting(seen -> seen.token())
                        .containsExactly(there.orElseThrow().token());
                assertThat(spelled.lock("both").tryAcquire())
                        .as("the same tables from another database")
                        .isEmpty();
                assertThat(lease.isHeld()).isTrue();
            }
        }
    }
}
