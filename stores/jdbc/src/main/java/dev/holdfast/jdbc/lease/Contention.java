package dev.holdfast.jdbc.lease;

import dev.holdfast.spi.Grant;
import java.util.List;

/**
 * Names that somebody else held or waited for when this client last heard of them: there, the statements that take and give
 * back as if nobody did would be in vain. Thread-safe.
 */
final class Contention {
    private final NameSet names = new NameSet();

    boolean isOn(String name) {
        return names.contains(name);
    }

    void add(String name) {
        names.add(name);
    }

    void remove(String name) {
        names.remove(name);
    }

    /** Grants that came from a line tell whether somebody else is left in it. */
    void noteWanted(List<Grant> grants) {
        grants.stream().filter(Grant::wanted).forEach(grant -> names.add(grant.name()));
    }

    /** What a transaction of a client has left of a line is the newest that there is. */
    void note(Line line, String client) {
        if (line.concernsOthersThan(client)) {
            names.add(line.name);
        } else {
            names.remove(line.name);
        }
    }
}
