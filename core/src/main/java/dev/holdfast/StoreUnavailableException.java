package dev.holdfast;

import org.jspecify.annotations.Nullable;

/**
 * The store did not answer, so nobody can tell whether the operation took effect. Never means "not acquired".
 *
 * <p>A failed acquire is cleaned up in the background: should its request have reached the store after all, the grant
 * is given back.
 */
public final class StoreUnavailableException extends HoldfastException {
    private static final long serialVersionUID = 1L;

    /** What was asked of the store. */
    private final String operation;

    /** The lock it was asked for. */
    private final String lockName;

    /**
     * Makes the exception for one unanswered operation.
     *
     * @param operation what was asked of the store, such as {@code "acquire"}
     * @param lockName the lock it concerned, or a short description where it concerned several or none
     * @param cause what the store's client reported
     */
    public StoreUnavailableException(String operation, String lockName, @Nullable Throwable cause) {
        super(
                "the store did not answer '" + operation + "' for '" + lockName
                        + "', so its outcome is unknown; check that the store is reachable"
                        + (cause == null || cause.getMessage() == null ? "" : " (" + cause.getMessage() + ")"),
                cause);
        this.operation = operation;
        this.lockName = lockName;
    }

    private StoreUnavailableException(String message, String operation, String lockName, @Nullable Throwable cause) {
        super(message, cause);
        this.operation = operation;
        this.lockName = lockName;
    }

    /**
     * Makes the exception for an operation that the store has answered, but cannot decide at present.
     *
     * @param operation what was asked of the store, such as {@code "acquire"}
     * @param lockName the lock it concerned
     * @param reason why, for how long, and what can be done about it
     * @return the exception
     */
    public static StoreUnavailableException because(String operation, String lockName, String reason) {
        return new StoreUnavailableException(
                "the store cannot decide '" + operation + "' for '" + lockName + "' at present: " + reason,
                operation,
                lockName,
                null);
    }

    /** {@return the same for another caller, with the stack of the calling thread} */
    public StoreUnavailableException forAnotherCaller() {
        return new StoreUnavailableException(String.valueOf(getMessage()), operation, lockName, getCause());
    }

    /** {@return what was asked of the store} */
    public String operation() {
        return operation;
    }

    /** {@return the lock it was asked for} */
    public String lockName() {
        return lockName;
    }
}
