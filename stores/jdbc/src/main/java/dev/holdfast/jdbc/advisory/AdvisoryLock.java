package dev.holdfast.jdbc.advisory;

import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.jdbc.dialect.Dialect;
import dev.holdfast.jdbc.session.SessionLock;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.TreeSet;

/**
 * Locks on numbers or words that the database keeps for a session. A name becomes the first 64 bits of the SHA-256 of
 * prefix and name: on PostgreSQL as a number, on MySQL and MariaDB as {@code hf_} and 16 hexadecimal digits, because
 * their words are limited to 64 characters and ignore case. Two names with the same 64 bits exclude each other, which is
 * too much but never too little. A claim never asks for the same number twice, because a session may hold one repeatedly.
 *
 * @param dialect the dialect
 * @param prefix keeps applications in one database apart
 */
public record AdvisoryLock(Dialect dialect, String prefix) implements SessionLock {

    /** Refuses databases without such locks. */
    public AdvisoryLock {
        if (dialect == Dialect.H2) {
            throw new StoreMisconfiguredException(
                    "H2 has no advisory locks; use strategy=lease, or strategy=row to lock rows");
        }
    }

    @Override
    public void prepare(Connection connection, Collection<String> names) {}

    @Override
    public boolean tryLock(Connection connection, Collection<String> names) throws SQLException {
        List<Long> locked = new ArrayList<>();
        for (long key : keysOf(names)) {
            if (!ask(connection, lockStatement(), key)) {
                for (long held : locked) {
                    ask(connection, unlockStatement(), held);
                }
                return false;
            }
            locked.add(key);
        }
        return true;
    }

    @Override
    public void unlock(Connection connection, Collection<String> names) throws SQLException {
        for (long key : keysOf(names)) {
            ask(connection, unlockStatement(), key);
        }
    }

    /**
     * Makes a name a number.
     *
     * @param name the name
     * @return the number that is locked for it
     */
    public long keyOf(String name) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(prefix.getBytes(StandardCharsets.UTF_8));
            digest.update((byte) 0);
            return ByteBuffer.wrap(digest.digest(name.getBytes(StandardCharsets.UTF_8)))
                    .getLong();
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException("every JDK has SHA-256", missing);
        }
    }

    private TreeSet<Long> keysOf(Collection<String> names) {
        TreeSet<Long> keys = new TreeSet<>();
        names.forEach(name -> keys.add(keyOf(name)));
        return keys;
    }

    private String lockStatement() {
        return dialect == Dialect.POSTGRESQL ? "SELECT pg_try_advisory_lock(?)" : "SELECT GET_LOCK(?, 0)";
    }

    private String unlockStatement() {
        return dialect == Dialect.POSTGRESQL ? "SELECT pg_advisory_unlock(?)" : "SELECT RELEASE_LOCK(?)";
    }

    private boolean ask(Connection connection, String query, long key) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(query)) {
            if (dialect == Dialect.POSTGRESQL) {
                statement.setLong(1, key);
            } else {
                statement.setString(1, "hf_" + HexFormat.of().toHexDigits(key));
            }
            try (ResultSet row = statement.executeQuery()) {
                return row.next() && row.getBoolean(1);
            }
        }
    }
}
