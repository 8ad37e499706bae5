package dev.holdfast.server.api;

import dev.holdfast.server.wire.Problem;
import dev.holdfast.server.wire.Problem.Code;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Who asks, and what they may do.
 *
 * @param name the principal
 * @param shownAs the principal as people see it beside a lock
 * @param roles what they may do
 * @param prefixes what the names that they may use begin with; one empty prefix for all names
 */
public record Client(String name, String shownAs, Set<Role> roles, List<String> prefixes) {
    /** What a client may do. */
    public enum Role {
        /** See locks, holders and waiters. */
        LOOK,
        /** Take, renew and release leases. */
        LOCK,
        /** Take locks away from others. */
        EVICT;

        /** {@return its name in files and JSON} */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Copies the sets. */
    public Client {
        roles = Set.copyOf(roles);
        prefixes = List.copyOf(prefixes);
    }

    /** Refuses a client that has not the role. */
    void need(Role role) {
        if (!roles.contains(role)) {
            throw new Problem(
                    Code.FORBIDDEN, "this needs the role '" + role.word() + "', which '" + name + "' has not");
        }
    }

    /** Refuses a client that has not the role for a name. */
    void need(Role role, String lockName) {
        need(role);
        if (!maySee(lockName)) {
            throw new Problem(
                    Code.FORBIDDEN,
                    "'" + name + "' may only use names that begin with one of its prefixes: " + prefixes);
        }
    }

    /** {@return whether the client's prefixes cover a name} */
    boolean maySee(String lockName) {
        return prefixes.stream().anyMatch(lockName::startsWith);
    }
}
