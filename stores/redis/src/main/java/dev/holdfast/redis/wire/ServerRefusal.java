package dev.holdfast.redis.wire;

/** What a server said instead of doing what it was told. It is an answer: the command had no effect, or says so itself. */
public class ServerRefusal extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Makes one from what the server said. */
    public ServerRefusal(String said) {
        super(said, null, false, false);
    }

    /** {@return the refusal for what a server said, which may be that another server is to be asked} */
    public static ServerRefusal of(String said) {
        return Redirection.isOne(said) ? new Redirection(said) : new ServerRefusal(said);
    }
}
