package dev.holdfast.tck.broken;

/** What is wrong with a store in an outage. */
public enum OutageDefect {
    /** Nothing: the control. */
    NONE,
    /** Says that somebody else has the lock when it does not know. */
    SAYS_CONTENDED,
    /** Tries a second time when a request has timed out, for as long as the first time. */
    STARTS_A_SECOND_TIMEOUT,
    /** A client that has seen the outage never works again. */
    STAYS_BROKEN,
    /** Says that it has released and withdrawn what it has not. */
    SWALLOWS_WHAT_IS_GIVEN_BACK
}
