package dev.holdfast.zookeeper;

import java.util.Locale;

/** How names are locked. All clients of one base path use the same. */
public enum Mode {
    /** Clients stand in line: first come, first served; read/write locks and semaphores too. */
    FAIR,
    /** One node per name: whoever makes it has the lock. Exclusive locks only, and no order among those who wait. */
    SIMPLE;

    /** How it is written in options and in the tree. */
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
