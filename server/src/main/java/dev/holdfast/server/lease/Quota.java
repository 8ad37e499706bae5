package dev.holdfast.server.lease;

import dev.holdfast.server.wire.Problem;
import dev.holdfast.server.wire.Problem.Code;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts what clients have open, and refuses more than a client, or all of them together, may have. Thread-safe. */
public final class Quota {
    private final String what;
    private final int mostPerClient;
    private final int mostInAll;
    private final Map<String, Integer> ofClients = new ConcurrentHashMap<>();
    private final AtomicInteger all = new AtomicInteger();

    /**
     * Sets limits.
     *
     * @param what what is counted, such as "waiting requests"
     * @param mostPerClient how many one client may have
     * @param mostInAll how many all clients together may have
     */
    public Quota(String what, int mostPerClient, int mostInAll) {
        this.what = what;
        this.mostPerClient = mostPerClient;
        this.mostInAll = mostInAll;
    }

    /**
     * Counts one more.
     *
     * @param client whose it is
     * @throws Problem if that would be too many; then it is not counted
     */
    public void take(String client) {
        if (ofClients.merge(client, 1, Integer::sum) > mostPerClient) {
            forget(client);
            throw new Problem(
                    Code.TOO_MANY, "this client has " + mostPerClient + " " + what + " already, which is the limit");
        }
        if (all.incrementAndGet() > mostInAll) {
            all.decrementAndGet();
            forget(client);
            throw new Problem(
                    Code.UNAVAILABLE,
                    "this server has " + mostInAll + " " + what + " already, which is the limit for all clients"
                            + " together");
        }
    }

    /** Counts one less. */
    public void giveBack(String client) {
        all.decrementAndGet();
        forget(client);
    }

    private void forget(String client) {
        ofClients.computeIfPresent(client, (same, count) -> count == 1 ? null : count - 1);
    }
}
