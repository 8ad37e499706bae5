package dev.holdfast.redis.wire;

/** A member of a cluster said that another one is to be asked about a slot, from now on or this once. */
public final class Redirection extends ServerRefusal {
    private static final long serialVersionUID = 1L;
    private static final String MOVED = "MOVED ";
    private static final String ASK = "ASK ";

    private final boolean thisOnce;
    private final int slot;
    private final String target;

    Redirection(String said) {
        super(said);
        String[] words = said.split(" ", -1);
        this.thisOnce = said.startsWith(ASK);
        this.slot = Integer.parseInt(words[1]);
        this.target = words[2];
    }

    static boolean isOne(String said) {
        return (said.startsWith(MOVED) || said.startsWith(ASK)) && said.matches("[A-Z]+ [0-9]{1,5} .*:[0-9]{1,5}");
    }

    /** {@return whether the slot is on its way and only this call is to be asked there} */
    public boolean isThisOnce() {
        return thisOnce;
    }

    public int slot() {
        return slot;
    }

    /** {@return who is to be asked; its host is empty if that is the one who was asked, at another port} */
    public HostAndPort target() {
        return HostAndPort.of(target);
    }
}
