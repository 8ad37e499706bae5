package dev.holdfast.rig.redis;

import dev.holdfast.rig.tls.Certificates;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a Redis server is set up. Immutable; every {@code with…} method returns a changed copy.
 *
 * @param lines added to the configuration file
 * @param password asked of the default user ({@code requirepass}), or null
 * @param users lines of an ACL file ({@code user NAME …}), or none for no file. The rig itself goes on as the default
 *     user, with {@code password} if there is one, so leave that user enough rights
 * @param durable whether every write is on disk before it is answered ({@code appendonly}, {@code appendfsync always});
 *     otherwise nothing survives a restart
 * @param certificates if the server speaks TLS and nothing else, on all its ports; or null
 */
public record RedisSettings(
        List<String> lines,
        @Nullable String password,
        List<String> users,
        boolean durable,
        @Nullable Certificates certificates) {
    private static final RedisSettings DEFAULTS = new RedisSettings(List.of(), null, List.of(), false, null);

    /** Copies the lists. */
    public RedisSettings {
        lines = List.copyOf(lines);
        users = List.copyOf(users);
    }

    /** {@return no password, no TLS, nothing on disk} */
    public static RedisSettings defaults() {
        return DEFAULTS;
    }

    /**
     * Adds lines to the configuration file.
     *
     * @param more for example {@code maxmemory 10mb}
     * @return the changed copy
     */
    public RedisSettings withLines(String... more) {
        List<String> all = new ArrayList<>(lines);
        all.addAll(List.of(more));
        return new RedisSettings(all, password, users, durable, certificates);
    }

    /**
     * Asks for a password.
     *
     * @param secret of the default user
     * @return the changed copy
     */
    public RedisSettings withPassword(String secret) {
        return new RedisSettings(lines, secret, users, durable, certificates);
    }

    /**
     * Adds users by an ACL file.
     *
     * @param aclLines each {@code user NAME …}
     * @return the changed copy
     */
    public RedisSettings withUsers(String... aclLines) {
        return new RedisSettings(lines, password, List.of(aclLines), durable, certificates);
    }

    /** {@return a copy whose server keeps its data over a restart, even after a kill} */
    public RedisSettings withDurability() {
        return new RedisSettings(lines, password, users, true, certificates);
    }

    /**
     * Makes the server speak TLS and nothing else.
     *
     * @param keys its own certificate and the authority it trusts
     * @return the changed copy
     */
    public RedisSettings withTls(Certificates keys) {
        return new RedisSettings(lines, password, users, durable, keys);
    }
}
