package dev.holdfast.jdbc.lease;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Names of which something is probably true. A full set forgets them all: what it saves is a statement. Thread-safe. */
final class NameSet {
    private static final int MOST_NAMES = 10_000;

    private final Set<String> names = ConcurrentHashMap.newKeySet();

    boolean contains(String name) {
        return names.contains(name);
    }

    void add(String name) {
        if (names.size() >= MOST_NAMES) {
            names.clear();
        }
        names.add(name);
    }

    void remove(String name) {
        names.remove(name);
    }
}
