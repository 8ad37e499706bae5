package dev.holdfast.spring.locked;

/** What to do about a class that calls its own locked method, past the proxy and so past the lock. */
public enum SelfInvocation {
    /** The application does not start. */
    FAIL,
    /** It is logged. */
    WARN,
    /** It is not looked for. */
    IGNORE
}
