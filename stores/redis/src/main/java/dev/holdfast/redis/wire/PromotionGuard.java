package dev.holdfast.redis.wire;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Lets connections in only while a server is the master of one promotion: it draws a new replication id at each, and
 * sentinels end all connections when they make a master a replica. So whoever was let in never asks under a generation that
 * is over. Thread-safe.
 */
public final class PromotionGuard {
    private static final byte[] REPLICATION = Keys.bytes("replication");
    private static final String ID = "master_replid:";
    private static final String MASTER = "role:master";

    private volatile @Nullable String expected;
    private volatile boolean over;

    /** From now on only connections to a server with this replication id are let in. */
    public void expect(String replicationId) {
        expected = replicationId;
    }

    /** {@return whether the server was found to be in another promotion, or to have been restarted} */
    public boolean isOver() {
        return over;
    }

    /**
     * Looks at a new connection.
     *
     * @throws BrokenExchange if it must not be used
     */
    public void admit(Connection connection) {
        String known = expected;
        if (known != null) {
            connection.send(Command.INFO, REPLICATION);
            Object told = connection.receive();
            if (told instanceof ServerRefusal refused) {
                throw refused;
            }
            if (!known.equals(replicationId(Answers.text(told)))) {
                over = true;
                throw notThatMaster();
            }
        }
    }

    /**
     * Reads the replication id of a master.
     *
     * @throws BrokenExchange if it is none
     */
    public static String masterId(@Nullable Object answer) {
        String id = replicationId(Answers.text(answer));
        if (id == null) {
            throw notThatMaster();
        }
        return id;
    }

    public static Call question() {
        return Call.of(Command.INFO, REPLICATION);
    }

    private static @Nullable String replicationId(@Nullable String told) {
        String facts = Objects.requireNonNullElse(told, "");
        if (facts.lines().noneMatch(MASTER::equals)) {
            return null;
        }
        return facts.lines()
                .filter(line -> line.startsWith(ID))
                .map(line -> line.substring(ID.length()))
                .findFirst()
                .orElse(null);
    }

    private static BrokenExchange notThatMaster() {
        return BrokenExchange.beforeSending(
                "the server is not the master that the sentinels named",
                new IllegalStateException("another promotion"));
    }
}
