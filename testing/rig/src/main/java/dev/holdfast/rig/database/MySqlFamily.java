package dev.holdfast.rig.database;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What MySQL and MariaDB have in common. */
public final class MySqlFamily {
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final int HEADER_BYTES = 4;
    private static final int PROTOCOL_10 = 10;

    private MySqlFamily() {}

    /** {@return statements, a line each, that make the user and the database} */
    public static String setUp() {
        return """
                CREATE DATABASE %1$s CHARACTER SET utf8mb4;
                CREATE USER '%2$s'@'%%' IDENTIFIED BY '%3$s';
                GRANT ALL PRIVILEGES ON *.* TO '%2$s'@'%%' WITH GRANT OPTION;
                """.formatted(DatabaseKind.DATABASE, DatabaseKind.USER, DatabaseKind.PASSWORD);
    }

    /**
     * The words that every call of the server begins with.
     *
     * @param program the server
     * @param home where it was unpacked
     * @param data its data directory
     * @return the command so far
     */
    public static List<String> call(Path program, Path home, Path data) {
        return new ArrayList<>(List.of(
                program.toString(),
                "--no-defaults",
                "--user=" + System.getProperty("user.name", "nobody"),
                "--basedir=" + home,
                "--datadir=" + data,
                "--lc-messages-dir=" + home.resolve("share"),
                "--innodb-log-file-size=8M",
                "--innodb-flush-method=nosync"));
    }

    /**
     * The settings that every server is started with.
     *
     * @param port to listen on
     * @return more words of the command
     */
    public static List<String> settings(int port) {
        return List.of(
                "--port=" + port,
                "--bind-address=127.0.0.1",
                // In the data directory, which is the working directory: paths of sockets must be short.
                "--socket=server.sock",
                "--pid-file=server.pid",
                "--skip-name-resolve",
                "--skip-log-bin",
                // Of clients whose locks keep a connection each, a hundred locks and what is kept for other work: 151,
                // which
                // is the default, is too few.
                "--max-connections=200",
                "--innodb-buffer-pool-size=64M",
                // Written at each commit, which survives a kill; forced to the disk once a second.
                "--innodb-flush-log-at-trx-commit=2");
    }

    /**
     * Looks whether a server greets its clients.
     *
     * @param port where it listens
     * @return whether it does
     * @throws IOException if it does not answer
     */
    public static boolean greets(int port) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress("127.0.0.1", port), (int) PATIENCE.toMillis());
            socket.setSoTimeout((int) PATIENCE.toMillis());
            DataInputStream greeting = new DataInputStream(socket.getInputStream());
            greeting.skipNBytes(HEADER_BYTES);
            return greeting.readByte() == PROTOCOL_10;
        }
    }
}
