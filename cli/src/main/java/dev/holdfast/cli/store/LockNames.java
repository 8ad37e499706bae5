package dev.holdfast.cli.store;

import java.util.List;

/** Lock names as they stand on the command line. The rule for a name itself is the engine's. */
public final class LockNames {
    private static final char REPLACEMENT = '\uFFFD';

    private LockNames() {}

    /**
     * Takes several names apart.
     *
     * @throws IllegalArgumentException if one is empty
     */
    public static List<String> split(String names) {
        List<String> parts = List.of(names.split(",", -1));
        if (parts.size() > 1 && parts.contains("")) {
            throw new IllegalArgumentException(
                    "'" + names + "' has an empty lock name between its commas; write them like a,b,c");
        }
        parts.forEach(LockNames::check);
        return parts;
    }

    /** Different names that are not UTF-8 would look the same here, and become one lock. */
    public static String check(String name) {
        if (name.indexOf(REPLACEMENT) >= 0) {
            throw new IllegalArgumentException("the lock name '" + name + "' is not UTF-8");
        }
        return name;
    }
}
