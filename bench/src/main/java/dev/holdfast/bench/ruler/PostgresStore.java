package dev.holdfast.bench.ruler;

import static dev.holdfast.bench.ruler.Maker.ADVISORY;
import static dev.holdfast.bench.ruler.Maker.HOLDFAST;
import static dev.holdfast.bench.ruler.Maker.HOLDFAST_ADVISORY;
import static dev.holdfast.bench.ruler.Maker.ROW;
import static dev.holdfast.bench.ruler.Maker.SPRING_JDBC;

import dev.holdfast.bench.ruler.Scenario.Kind;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.database.DatabaseServer;
import dev.holdfast.rig.postgres.Postgres;
import java.util.List;
import java.util.stream.Stream;

/** One PostgreSQL server. */
final class PostgresStore implements Store {
    /** Known at once, unlike the numbers of transactions, which servers add up only now and then. */
    private static final String STATEMENTS = "SELECT SUM(calls) FROM pg_stat_statements";

    @Override
    public String word() {
        return "postgres";
    }

    @Override
    public Venue start(Rig rig) throws InterruptedException {
        DatabaseServer server = Postgres.start(rig, "shared_preload_libraries=pg_stat_statements");
        Database database = new Database(rig, server);
        database.execute("CREATE EXTENSION pg_stat_statements");
        return database.venue("schema-postgresql.sql", "TIMESTAMP", STATEMENTS);
    }

    @Override
    public List<Scenario> scenarios() {
        Stream<Scenario> own =
                Database.own(Target.fasterThan(HOLDFAST, ROW, 0.9), Target.fasterThan(HOLDFAST, SPRING_JDBC, 1.7));
        Scenario advisory = Scenario.of(
                        "advisory",
                        "uncontended pair, one thread, strategy advisory",
                        Kind.OWN_NAMES,
                        1,
                        1,
                        HOLDFAST_ADVISORY,
                        HOLDFAST,
                        ADVISORY)
                .asking(
                        Target.fasterThan(HOLDFAST_ADVISORY, ADVISORY, 0.6),
                        Target.fasterThan(HOLDFAST_ADVISORY, HOLDFAST, 2));
        Stream<Scenario> shared = Database.shared(1.0 / 40);
        return Stream.of(
                        own,
                        Stream.of(advisory),
                        shared,
                        Stream.of(Scenarios.recovery(HOLDFAST, HOLDFAST_ADVISORY, SPRING_JDBC)))
                .flatMap(each -> each)
                .toList();
    }
}
