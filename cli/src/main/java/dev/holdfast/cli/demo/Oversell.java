package dev.holdfast.cli.demo;

import dev.holdfast.cli.console.Terminal;
import dev.holdfast.cli.store.StoreChoice;
import dev.holdfast.spi.StoreUri;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The overselling demonstration: the same worker processes sell the same stock in one way after another. */
final class Oversell {
    private static final Duration GLANCE = Duration.ofMillis(200);
    private static final int MOST_GLANCES = 18_000;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final String[] KINDS = {"redis", "redlock", "postgresql", "mariadb", "mysql", "zookeeper"};
    private static final Map<String, String> TITLES = Map.of(
            "redis", "Redis",
            "redlock", "Redlock (5 nodes)",
            "postgresql", "PostgreSQL",
            "mariadb", "MariaDB",
            "mysql", "MySQL",
            "zookeeper", "ZooKeeper");

    private final Terminal terminal;
    private final @Nullable String jdbc;
    private final boolean rig;
    private final int stock;
    private final int workers;

    /** A row of the table: a way, and for Holdfast where the locks are; or why it cannot be shown. */
    private record Row(Way way, String title, String lockUrl, String obstacle) {
        static Row of(Way way) {
            return new Row(way, way.title(), "", "");
        }

        static Row holdfast(String where, String lockUrl) {
            return new Row(Way.HOLDFAST, "Holdfast on " + where, StoreChoice.driverUrl(lockUrl), "");
        }
    }

    Oversell(Terminal terminal, @Nullable String jdbc, boolean rig, int stock, int workers) {
        this.terminal = terminal;
        this.jdbc = jdbc;
        this.rig = rig;
        this.stock = stock;
        this.workers = workers;
    }

    /** {@return whether no safe way has oversold} */
    boolean play() throws InterruptedException {
        try (DemoDatabase database =
                        jdbc == null ? DemoDatabase.embedded(Shop.TABLES) : DemoDatabase.at(jdbc, Shop.TABLES);
                LentServers servers = rig ? startServers() : null) {
            database.execute(Shop.CREATION.toArray(String[]::new));
            introduce();
            return sell(database, rows(database, servers));
        } catch (SQLException failure) {
            throw new DemoException("the database failed (SQL state " + failure.getSQLState() + ")", failure);
        }
    }

    /** Sells with workers that are gone when this returns, so that none of them has a table locked. */
    private boolean sell(DemoDatabase database, List<Row> rows) throws SQLException, InterruptedException {
        List<Player> players = new ArrayList<>();
        try {
            for (int i = 1; i <= workers; i++) {
                String name = "worker " + i;
                players.add(
                        jdbc == null
                                ? Player.start(name, SalesWorker.class)
                                : Player.startWithPassword(name, SalesWorker.class));
            }
            players.forEach(player -> player.tell("at " + database.url()));
            for (Player player : players) {
                player.expect("there");
            }
            return sell(database, players, rows);
        } finally {
            players.forEach(Player::close);
        }
    }

    private LentServers startServers() throws InterruptedException {
        System.err.println("holdfast: starting servers ...");
        return LentServers.start(KINDS);
    }

    private void introduce() {
        // What follows the database's name may be long, and secret.
        String where = jdbc == null
                ? "an embedded H2"
                : StoreUri.parse(jdbc, Map.of(), null).toString().replaceFirst("[?;].*", "");
        System.out.println(workers + " processes with " + SalesWorker.THREADS + " threads each sell a stock of " + stock
                + ", kept in");
        System.out.println(where + ".");
        System.out.println("An order reads the stock, spends " + Shop.THINKING.toMillis()
                + " ms as a call to a payment service would,");
        System.out.println("and writes the stock that it has computed.");
        System.out.println();
    }

    private List<Row> rows(DemoDatabase database, @Nullable LentServers servers) {
        List<Row> rows = new ArrayList<>();
        for (Way way : Way.values()) {
            if (way != Way.HOLDFAST) {
                rows.add(Row.of(way));
            }
        }
        rows.add(Row.holdfast("files", "file:" + database.directory().resolve("locks")));
        rows.add(Row.holdfast("this database", database.lockUrl()));
        if (servers != null) {
            for (String kind : KINDS) {
                String title = TITLES.getOrDefault(kind, kind);
                rows.add(servers.url(kind)
                        .map(url -> Row.holdfast(title, url))
                        .orElseGet(() -> new Row(Way.HOLDFAST, "Holdfast on " + title, "", servers.reason(kind))));
            }
        }
        return rows;
    }

    private boolean sell(DemoDatabase database, List<Player> players, List<Row> rows)
            throws SQLException, InterruptedException {
        boolean movable = !System.getenv().getOrDefault("TERM", "dumb").equals("dumb");
        LiveTable table = new LiveTable(
                terminal,
                terminal.isTerminal() && movable,
                rows.stream().map(Row::title).toList());
        boolean allRight = true;
        long oversold = 0;
        for (int i = 0; i < rows.size(); i++) {
            Row row = rows.get(i);
            if (!row.obstacle().isEmpty()) {
                table.skip(i, row.title(), row.obstacle());
                continue;
            }
            Sale sale = sell(database, players, row, table, i);
            table.complete(i, sale);
            allRight &= sale.isRight() || !row.way().isSafe();
            oversold += row.way().isSafe() ? 0 : sale.oversold();
        }
        conclude(allRight, oversold);
        return allRight;
    }

    private Sale sell(DemoDatabase database, List<Player> players, Row row, LiveTable table, int index)
            throws SQLException, InterruptedException {
        database.execute(Shop.CLEAR, Shop.FILL + stock);
        for (Player player : players) {
            player.tell("by " + row.way() + " " + row.lockUrl());
        }
        for (Player player : players) {
            player.expect("ready");
        }
        long begin = System.nanoTime();
        players.forEach(player -> player.tell("go"));
        long retries = 0;
        for (Player player : players) {
            Optional<String> done = player.hear(GLANCE);
            for (int glances = 0; done.isEmpty(); glances++) {
                if (glances == MOST_GLANCES) {
                    throw new DemoException("selling takes too long; try a smaller --stock");
                }
                table.progress(index, row.title(), database.number(Shop.SOLD), database.number(Shop.LEFT));
                done = player.hear(GLANCE);
            }
            retries += Long.parseLong(done.get().substring("done ".length()));
        }
        double seconds = (System.nanoTime() - begin) / NANOS_PER_SECOND;
        long sold = database.number(Shop.SOLD);
        return new Sale(row.title(), stock, sold, database.number(Shop.LEFT), sold / seconds, retries);
    }

    private void conclude(boolean allRight, long oversold) {
        System.out.println();
        if (!allRight) {
            System.out.println(terminal.red("A way that must not oversell has sold the wrong number: a defect."));
        } else if (oversold > 0) {
            System.out.println("Without a lock that all processes share, " + oversold + " customers paid for nothing.");
            System.out.println("With one, nobody did.");
        } else {
            System.out.println("This time it went well without a lock, too. Try a larger --stock.");
        }
    }
}
