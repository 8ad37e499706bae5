package dev.holdfast;

/** The {@link Holdfast} client was closed before or during the call. */
public final class ClientClosedException extends HoldfastException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param clientName the client that was closed
     */
    public ClientClosedException(String clientName) {
        super("the Holdfast client '" + clientName + "' is closed");
    }
}
