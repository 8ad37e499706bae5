package dev.holdfast.engine;

import dev.holdfast.spi.Grant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The last few sessions that the store told the end of. That message may overtake the answer with a grant of the session:
 * such a grant was never held. (The loss of a single grant is remembered by its {@link Contender}.) Thread-safe:
 * a gate looks at ends and keeps a grant in one step, and who enters an end looks for grants in every gate afterwards.
 */
final class LostSessions {
    private static final int MOST = 10_000;

    /** Guarded by itself. */
    private final Set<String> recent = new LinkedHashSet<>();

    private volatile boolean any;

    void add(String session) {
        synchronized (recent) {
            recent.add(session);
            if (recent.size() > MOST) {
                recent.remove(recent.iterator().next());
            }
            any = true;
        }
    }

    /** Whether the session of one of several grants has ended. */
    boolean include(List<Grant> grants) {
        if (!any) {
            return false;
        }
        synchronized (recent) {
            return grants.stream().anyMatch(grant -> grant.session() != null && recent.contains(grant.session()));
        }
    }
}
