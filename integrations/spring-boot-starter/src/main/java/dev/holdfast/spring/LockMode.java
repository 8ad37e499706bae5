package dev.holdfast.spring;

/** Which kind of lock a method needs. */
public enum LockMode {
    /** Nobody else holds the name. */
    EXCLUSIVE,
    /** The side of a read/write lock that many may hold. */
    READ,
    /** The side of a read/write lock that one may hold, without readers. */
    WRITE
}
