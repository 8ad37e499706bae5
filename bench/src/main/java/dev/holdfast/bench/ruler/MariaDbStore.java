package dev.holdfast.bench.ruler;

import static dev.holdfast.bench.ruler.Maker.HOLDFAST;
import static dev.holdfast.bench.ruler.Maker.ROW;
import static dev.holdfast.bench.ruler.Maker.SHEDLOCK;
import static dev.holdfast.bench.ruler.Maker.SPRING_JDBC;

import dev.holdfast.bench.ruler.Scenario.Kind;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.mariadb.MariaDb;
import java.util.List;

/** One MariaDB server. */
final class MariaDbStore implements Store {
    private static final String QUERIES =
            "SELECT variable_value FROM information_schema.global_status WHERE variable_name = 'QUERIES'";

    @Override
    public String word() {
        return "mariadb";
    }

    @Override
    public Venue start(Rig rig) throws InterruptedException {
        return new Database(rig, MariaDb.start(rig)).venue("schema-mysql.sql", "TIMESTAMP(3)", QUERIES);
    }

    @Override
    public List<Scenario> scenarios() {
        return List.of(
                new Scenario(
                        "solo",
                        "uncontended pair, one thread",
                        Kind.OWN_NAMES,
                        1,
                        1,
                        List.of(HOLDFAST, SPRING_JDBC, SHEDLOCK, ROW),
                        List.of(Target.fasterThan(HOLDFAST, SPRING_JDBC, 2.5))),
                // Without targets: these are known of PostgreSQL only.
                Database.hot("hot-2x4", "2 JVMs x 4 threads on one name", 2, 4),
                Database.hot("hot-6x1", "6 JVMs x 1 thread on one name", 6, 1),
                Database.handOver(1.0 / 5),
                Database.waiting());
    }
}
