package dev.holdfast.rig.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;

/** Writes whose replication is known. WAIT counts only for the connection that wrote. */
final class RespWrites implements AutoCloseable {
    private final RespConnection connection;

    private RespWrites(RespConnection connection) {
        this.connection = connection;
    }

    static RespWrites to(RedisNode node) {
        try {
            return new RespWrites(node.connect());
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** Writes, and checks how many replicas have it; with none expected, none may have it a moment later. */
    void set(String key, String value, long replicas) {
        try {
            assertThat(connection.ask("SET", key, value)).isEqualTo("OK");
            assertThat(connection.ask("WAIT", Long.toString(Math.max(1, replicas)), replicas == 0 ? "200" : "5000"))
                    .isEqualTo(replicas);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
