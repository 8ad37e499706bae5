package dev.holdfast;

/** Why a lease ended before its holder released it. */
public enum LossReason {
    /** The lease ran out: it could not be renewed in time. */
    EXPIRED("it could not be renewed before its deadline"),
    /** Somebody took the lock away by force. */
    EVICTED("it was taken away by an eviction"),
    /** The session with the store that the lease was bound to has ended. */
    SESSION_LOST("the session with the store has ended"),
    /** The lease was held for longer than its options allow. */
    MAX_HOLD("it was held for longer than the configured maximum"),
    /** The client that the lease came from was closed. */
    CLIENT_CLOSED("the Holdfast client was closed");

    private final String explanation;

    LossReason(String explanation) {
        this.explanation = explanation;
    }

    /** {@return half a sentence for a message} */
    public String explanation() {
        return explanation;
    }
}
