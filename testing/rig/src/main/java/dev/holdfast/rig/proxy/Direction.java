package dev.holdfast.rig.proxy;

/** Which way bytes travel. */
public enum Direction {
    /** From the client to the server. */
    TO_SERVER,
    /** From the server to the client. */
    TO_CLIENT
}
