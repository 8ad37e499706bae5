package dev.holdfast.redis.wire;

/** A connection is of no use any more: nothing came, or it ended, or what came is not the protocol of Redis. */
public final class BrokenConnection extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Says why. */
    public BrokenConnection(Throwable cause) {
        super(String.valueOf(cause.getMessage()), cause, false, false);
    }
}
