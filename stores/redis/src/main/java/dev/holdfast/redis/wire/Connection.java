package dev.holdfast.redis.wire;

import org.jspecify.annotations.Nullable;

/**
 * Commands go in, and their answers come out in the same order. Used by one thread at a time; only {@link #cut} by others.
 */
public interface Connection {
    /** Adds a command to those that are sent before the next answer is read. */
    void send(Command verb, byte[]... arguments);

    /**
     * Waits for the next answer.
     *
     * @return a number, bytes, a list, null, or a {@link ServerRefusal}
     * @throws BrokenConnection if there is none
     */
    @Nullable
    Object receive();

    /** Ends the connection at once, whoever is using it. */
    void cut();
}
