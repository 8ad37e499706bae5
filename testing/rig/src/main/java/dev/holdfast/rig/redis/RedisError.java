package dev.holdfast.rig.redis;

/** The server answered with an error. */
public final class RedisError extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RedisError(String message) {
        super(message);
    }
}
