package dev.holdfast.engine.client;

import dev.holdfast.spi.LockName;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The rule for several lock names at once; that for each of them is {@link LockName}. */
final class Names {
    private Names() {}

    static List<String> check(List<String> names) {
        if (names.isEmpty()) {
            throw new IllegalArgumentException("at least one lock name is needed");
        }
        Set<String> seen = new HashSet<>();
        for (String name : names) {
            if (!seen.add(LockName.check(name))) {
                throw new IllegalArgumentException("the lock name '" + name + "' is given twice");
            }
        }
        return names;
    }
}
