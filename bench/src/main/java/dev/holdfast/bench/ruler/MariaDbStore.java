package dev.holdfast.bench.ruler;

import static dev.holdfast.bench.ruler.Maker.HOLDFAST;
import static dev.holdfast.bench.ruler.Maker.ROW;
import static dev.holdfast.bench.ruler.Maker.SPRING_JDBC;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.mariadb.MariaDb;
import java.util.List;
import java.util.stream.Stream;

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
        return Stream.of(
                        Database.own(
                                Target.fasterThan(HOLDFAST, ROW, 0.9), Target.fasterThan(HOLDFAST, SPRING_JDBC, 2.5)),
                        Database.shared(1.0 / 20),
                        Stream.of(Scenarios.recovery(HOLDFAST, SPRING_JDBC)))
                .flatMap(each -> each)
                .toList();
    }
}
