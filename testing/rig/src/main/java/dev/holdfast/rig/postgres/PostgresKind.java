package dev.holdfast.rig.postgres;

import dev.holdfast.rig.database.DatabaseKind;
import dev.holdfast.rig.database.SharedDirectory;
import dev.holdfast.rig.database.Tool;
import dev.holdfast.rig.database.Unpacking;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.tukaani.xz.XZInputStream;

/** How PostgreSQL is unpacked, initialised, started and recognised. */
final class PostgresKind implements DatabaseKind {
    private static final String VERSION = "18.6";
    private static final String RESOURCE = "postgres-linux-x86_64.txz";
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final int PROTOCOL_3 = 3 << 16;

    /** In {@code postmaster.pid}, the line with the key and the number of its System V shared memory. */
    private static final int LINE_OF_SHARED_MEMORY = 6;

    @Override
    public String name() {
        return "postgres";
    }

    @Override
    public String environment() {
        return "HOLDFAST_TEST_POSTGRES";
    }

    @Override
    public String jdbcUrl(int port) {
        return "jdbc:postgresql://127.0.0.1:" + port + "/" + DATABASE;
    }

    @Override
    public Path template() throws InterruptedException {
        Path home = home();
        return SharedDirectory.find("postgres-" + VERSION + "-data-2", draft -> initialise(home, draft))
                .resolve("data");
    }

    @Override
    public List<String> command(Path data, int port, List<String> options) throws IOException, InterruptedException {
        Unprivileged user = Unprivileged.find();
        user.own(data);
        List<String> command =
                new ArrayList<>(user.command(home().resolve("bin/postgres").toString(), "-D", data.toString()));
        List<String> settings = new ArrayList<>(List.of(
                "port=" + port,
                "listen_addresses=127.0.0.1",
                "unix_socket_directories=",
                "max_connections=200",
                "fsync=off",
                "full_page_writes=off",
                // Files in the data directory: nothing is left of them when that is deleted after a kill.
                "dynamic_shared_memory_type=mmap",
                "io_method=sync"));
        settings.addAll(options);
        settings.forEach(setting -> command.addAll(List.of("-c", setting)));
        return List.copyOf(command);
    }

    /** Says hello as a client would, and looks whether it is asked for the password or told to come later. */
    @Override
    public boolean ready(int port) throws IOException {
        byte[] words = ("user\0" + USER + "\0database\0" + DATABASE + "\0\0").getBytes(StandardCharsets.UTF_8);
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress("127.0.0.1", port), (int) PATIENCE.toMillis());
            socket.setSoTimeout((int) PATIENCE.toMillis());
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            out.writeInt(words.length + 2 * Integer.BYTES);
            out.writeInt(PROTOCOL_3);
            out.write(words);
            out.flush();
            return new DataInputStream(socket.getInputStream()).readByte() == 'R';
        }
    }

    /** The signal for a "fast" shutdown; after TERM it would wait for its clients to leave. */
    @Override
    public String stopSignal() {
        return "INT";
    }

    /** After a kill its System V shared memory, a few bytes, would stay until the machine is started again. */
    @Override
    public void bury(Path data) {
        Path file = data.resolve("postmaster.pid");
        try {
            List<String> lines = Files.exists(file) ? Files.readAllLines(file) : List.of();
            if (lines.size() > LINE_OF_SHARED_MEMORY) {
                String[] words = lines.get(LINE_OF_SHARED_MEMORY).trim().split(" +", 2);
                Tool.works(List.of("ipcrm", "-m", words[words.length - 1]));
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } catch (IOException failed) {
            throw new UncheckedIOException(file + " cannot be read", failed);
        }
    }

    private Path home() throws InterruptedException {
        URL archive = Unpacking.resource("PostgreSQL", RESOURCE, environment());
        return SharedDirectory.find("postgres-" + VERSION, draft -> {
            try (InputStream packed = archive.openStream()) {
                Unpacking.tar(new XZInputStream(packed), draft);
            }
        });
    }

    private static void initialise(Path home, Path draft) throws IOException, InterruptedException {
        Path password = Files.writeString(draft.resolve("password"), PASSWORD);
        Path data = Files.createDirectory(draft.resolve("data"));
        Unprivileged user = Unprivileged.find();
        user.own(draft);
        String[] initdb = {
            home.resolve("bin/initdb").toString(),
            "--no-sync",
            "-D",
            data.toString(),
            "-U",
            USER,
            "--pwfile=" + password,
            "-A",
            "scram-sha-256",
            "-E",
            "UTF8",
            "--locale=C",
            // Small segments of the log, because each start copies them.
            "--wal-segsize=1"
        };
        Tool.run(user.command(initdb));
        String[] alone = {home.resolve("bin/postgres").toString(), "--single", "-D", data.toString(), "postgres"};
        Tool.run(user.command(alone), "CREATE DATABASE " + DATABASE + "\n");
    }
}
