package dev.holdfast.redis.wire;

import java.nio.charset.StandardCharsets;

/** The commands that are sent. */
public enum Command {
    ASKING,
    AUTH,
    CLIENT,
    CLUSTER,
    EVAL,
    EVALSHA,
    INFO,
    PING,
    ROLE,
    SCAN,
    SELECT,
    SENTINEL,
    SET,
    SUBSCRIBE,
    WAIT;

    private final byte[] word = name().getBytes(StandardCharsets.US_ASCII);

    /** {@return its name as it is sent; not to be changed} */
    public byte[] word() {
        return word;
    }
}
