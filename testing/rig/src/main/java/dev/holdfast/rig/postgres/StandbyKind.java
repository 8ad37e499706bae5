package dev.holdfast.rig.postgres;

import dev.holdfast.rig.database.DatabaseKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A standby of PostgreSQL that follows a primary without being waited for. It begins as a copy of the primary's files.
 *
 * @param primaryData the files of the primary, which does not run while they are copied
 * @param primaryPort where the standby finds the primary, perhaps through a proxy
 */
record StandbyKind(Path primaryData, int primaryPort) implements DatabaseKind {
    private static final PostgresKind POSTGRES = new PostgresKind();

    @Override
    public String name() {
        return "postgres-standby";
    }

    @Override
    public String environment() {
        return POSTGRES.environment();
    }

    @Override
    public String jdbcUrl(int port) {
        return POSTGRES.jdbcUrl(port);
    }

    @Override
    public Path template() {
        return primaryData;
    }

    /** The server deletes the signal when it is promoted, so it is given once. */
    @Override
    public List<String> command(Path data, int port, List<String> options) throws IOException, InterruptedException {
        Path made = data.resolve("holdfast-standby");
        if (!Files.exists(made)) {
            Files.createFile(made);
            Files.createFile(data.resolve("standby.signal"));
        }
        List<String> settings = new ArrayList<>(options);
        settings.add("primary_conninfo=host=127.0.0.1 port=" + primaryPort + " user=" + USER + " password=" + PASSWORD);
        return POSTGRES.command(data, port, settings);
    }

    @Override
    public boolean ready(int port) throws IOException {
        return POSTGRES.ready(port);
    }

    @Override
    public String stopSignal() {
        return POSTGRES.stopSignal();
    }

    @Override
    public void bury(Path data) {
        POSTGRES.bury(data);
    }
}
