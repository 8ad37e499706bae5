package dev.holdfast.jdbc;

import dev.holdfast.rig.CannotRunException;
import dev.holdfast.rig.Launch;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.database.Access;
import dev.holdfast.rig.database.DatabaseServer;
import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The real PgBouncer in front of a server, giving every transaction whichever of a few sessions is free. */
final class PgBouncer {
    private static final String ENVIRONMENT = "HOLDFAST_TEST_PGBOUNCER";

    private PgBouncer() {}

    /** Starts it; the test is reported as skipped, with the reason, where it is not installed. */
    static Access before(Rig rig, DatabaseServer server) throws InterruptedException {
        Path binary = binary().orElseThrow(
                        () -> new CannotRunException("PgBouncer is not installed; install the package"
                                + " pgbouncer, or name its program in " + ENVIRONMENT));
        int port = rig.start("pgbouncer", new Pooling(binary, server)).port();
        String url = server.accessThrough(port).jdbcUrl();
        // This release of PgBouncer may be too old to know prepared statements.
        return new Access(
                url + (url.contains("?") ? "&" : "?") + "prepareThreshold=0", server.user(), server.password());
    }

    private static Optional<Path> binary() {
        String named = System.getenv(ENVIRONMENT);
        Stream<Path> places = named != null && !named.isBlank()
                ? Stream.of(Path.of(named))
                : Stream.concat(
                                Arrays.stream(System.getenv("PATH").split(File.pathSeparator, -1)),
                                Stream.of("/usr/sbin", "/usr/local/sbin"))
                        .map(directory -> Path.of(directory, "pgbouncer"));
        return places.filter(Files::isExecutable).findFirst();
    }

    private record Pooling(Path binary, DatabaseServer server) implements Launch {
        @Override
        public List<String> prepare(Place place) throws IOException {
            String database = server.access().jdbcUrl().replaceFirst(".*/", "").replaceFirst("\\?.*", "");
            Path settings = Files.writeString(
                    place.directory().resolve("pgbouncer.ini"),
                    String.join(
                            "\n",
                            "[databases]",
                            database + " = host=127.0.0.1 port=" + server.port() + " dbname=" + database + " user="
                                    + server.user() + " password=" + server.password(),
                            "[pgbouncer]",
                            "listen_addr = 127.0.0.1",
                            "listen_port = " + place.port(),
                            "unix_socket_dir =",
                            "auth_type = any",
                            "pool_mode = transaction",
                            "default_pool_size = 20",
                            "ignore_startup_parameters = extra_float_digits",
                            ""));
            boolean root = "root".equals(System.getProperty("user.name"));
            return root
                    ? List.of(binary.toString(), "-u", "nobody", settings.toString())
                    : List.of(binary.toString(), settings.toString());
        }

        @Override
        public boolean ready(Place place) throws IOException {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress("127.0.0.1", place.port()));
                return true;
            }
        }

        @Override
        public void forget(Place place) {}
    }
}
