package dev.holdfast.redis.wire;

/** There was no answer. Carries what matters for deciding whether to ask again. */
public final class BrokenExchange extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private static final int DEEPEST = 20;

    /** Whether the commands may have reached the server. */
    private final boolean sent;

    /** Whether the connection had been used before, so that the server may have closed it long ago. */
    private final boolean stale;

    private BrokenExchange(String message, boolean sent, boolean stale, Throwable cause) {
        super(message + " (" + root(cause) + ")", cause, false, false);
        this.sent = sent;
        this.stale = stale;
    }

    public static BrokenExchange beforeSending(String message, Throwable cause) {
        return new BrokenExchange(message, false, false, cause);
    }

    public static BrokenExchange afterSending(String message, boolean stale, Throwable cause) {
        return new BrokenExchange(message, true, stale, cause);
    }

    /** The first cause says most: connection refused, timed out, unknown host. */
    private static String root(Throwable cause) {
        Throwable root = cause;
        for (int depth = 0; root.getCause() != null && depth < DEEPEST; depth++) {
            root = root.getCause();
        }
        return root.getMessage() == null ? root.getClass().getSimpleName() : root.getMessage();
    }

    public boolean mayHaveArrived() {
        return sent;
    }

    public boolean wasStale() {
        return stale;
    }
}
