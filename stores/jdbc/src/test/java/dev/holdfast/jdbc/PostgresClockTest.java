package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.database.DatabaseServer;
import dev.holdfast.rig.postgres.Postgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A database whose clock differs from the client's by an hour, or is set back: a function in front of the real clock. */
final class PostgresClockTest {
    @RegisterExtension
    static final Rig RIG = new Rig();

    private static DatabaseServer server;

    private String url;

    @BeforeEach
    void startServer() throws InterruptedException, SQLException {
        if (server == null) {
            server = Postgres.start(RIG);
        }
        execute("CREATE SCHEMA IF NOT EXISTS skew");
        url = server.access().jdbcUrlWithCredentials() + "&options=-c%20search_path%3Dskew,pg_catalog,public"
                + "#prefix=public.holdfast_";
        setClock("0 hours");
    }

    @Test
    void clocksThatAreAnHourApartDoNotMatter() throws SQLException, InterruptedException {
        for (String offset : new String[] {"-1 hour", "1 hour"}) {
            setClock(offset);
            try (Holdfast locks = Holdfast.connect(url);
                    Holdfast others = Holdfast.connect(url)) {
                LockOptions brief = LockOptions.defaults().withLeaseTime(Duration.ofSeconds(2));
                Lease lease = locks.lock("apart " + offset, brief).acquire();
                assertThat(lease.remaining()).isPositive().isLessThanOrEqualTo(brief.leaseTime());
                assertThat(others.lock("apart " + offset).tryAcquire()).isEmpty();
                assertThat(others.lock("apart " + offset)
                                .tryAcquire(brief.leaseTime().multipliedBy(2)))
                        .as("it is renewed")
                        .isEmpty();
                assertThat(lease.release()).isTrue();
            }
        }
    }

    @Test
    void tokensGrowAfterTheClockWasSetBackAnHour() throws SQLException, InterruptedException {
        try (Holdfast locks = Holdfast.connect(url)) {
            long before = take(locks);
            setClock("-1 hour");
            long after = take(locks);
            long later = take(locks);

            assertThat(after).isGreaterThan(before);
            assertThat(later).isGreaterThan(after);
        }
    }

    private static long take(Holdfast locks) throws InterruptedException {
        try (Lease lease = locks.lock("back").acquire()) {
            return lease.token();
        }
    }

    private static void setClock(String offset) throws SQLException {
        execute("CREATE OR REPLACE FUNCTION skew.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS"
                + " $$ SELECT pg_catalog.clock_timestamp() + interval '" + offset + "' $$");
    }

    private static void execute(String sql) throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
