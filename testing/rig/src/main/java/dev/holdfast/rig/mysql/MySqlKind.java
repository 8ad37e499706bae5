package dev.holdfast.rig.mysql;

import dev.holdfast.rig.database.DatabaseKind;
import dev.holdfast.rig.database.MySqlFamily;
import dev.holdfast.rig.database.SharedDirectory;
import dev.holdfast.rig.database.Tool;
import dev.holdfast.rig.database.Unpacking;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPInputStream;

/** How MySQL is unpacked, initialised, started and recognised. */
final class MySqlKind implements DatabaseKind {
    private static final String VERSION = "8.0.15";
    private static final String RESOURCE = "mysql-Linux-amd64.tar.gz";
    private static final String PROGRAM = "bin/mysqld";

    /** The name that libaio has got on newer systems; on machines of 64 bits the library is the same. */
    private static final Path RENAMED_LIBAIO = Path.of("/usr/lib/x86_64-linux-gnu/libaio.so.1t64");

    @Override
    public String name() {
        return "mysql";
    }

    @Override
    public String environment() {
        return "HOLDFAST_TEST_MYSQL";
    }

    /** Without TLS, so the driver has to be allowed to ask for the key that it hides the password with. */
    @Override
    public String jdbcUrl(int port) {
        return "jdbc:mysql://127.0.0.1:" + port + "/" + DATABASE + "?sslMode=DISABLED&allowPublicKeyRetrieval=true";
    }

    @Override
    public Path template() throws InterruptedException {
        Path home = home();
        return SharedDirectory.find("mysql-" + VERSION + "-data-2", draft -> initialise(home, draft))
                .resolve("data");
    }

    @Override
    public List<String> command(Path data, int port, List<String> options) throws InterruptedException {
        Path home = home();
        List<String> command = MySqlFamily.call(home.resolve(PROGRAM), home, data);
        command.addAll(MySqlFamily.settings(port));
        command.add("--mysqlx=OFF");
        options.forEach(option -> command.add("--" + option));
        return List.copyOf(command);
    }

    @Override
    public boolean ready(int port) throws IOException {
        return MySqlFamily.greets(port);
    }

    private Path home() throws InterruptedException {
        URL archive = Unpacking.resource("MySQL", RESOURCE, environment());
        return SharedDirectory.find("mysql-" + VERSION, draft -> {
            try (InputStream packed = archive.openStream()) {
                Unpacking.tar(new GZIPInputStream(packed), draft);
            }
            // Libraries are looked for beside the program first; where the link leads nowhere, the search goes on.
            Files.createSymbolicLink(draft.resolve("bin/libaio.so.1"), RENAMED_LIBAIO);
        });
    }

    private static void initialise(Path home, Path draft) throws IOException, InterruptedException {
        Path setUp = Files.writeString(draft.resolve("set-up.sql"), MySqlFamily.setUp());
        List<String> command = MySqlFamily.call(home.resolve(PROGRAM), home, draft.resolve("data"));
        command.addAll(List.of("--initialize-insecure", "--init-file=" + setUp));
        Tool.run(command);
    }
}
