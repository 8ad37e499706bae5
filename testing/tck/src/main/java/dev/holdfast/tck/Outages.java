package dev.holdfast.tck;

import dev.holdfast.HoldfastBuilder;
import java.time.Duration;
import java.util.Map;

/**
 * A way to break what is between some clients and their store, for {@link OutageContract}. A store's author puts a proxy
 * in front of the server, or takes {@link #injectedInto} where there is no server.
 *
 * <p>Only the clients that {@link #connect} has set up need to suffer. The suite watches through other clients, which
 * use the store's own URL; they may fail while the server itself is down. The methods are called by one thread at a
 * time.
 */
public interface Outages {

    /** What can go wrong. A fault lasts from {@link #begin} to {@link #end}. */
    enum Fault {
        /**
         * Nothing gets through, either way, and nobody is told. What was sent meanwhile may still arrive when it is
         * over.
         */
        SILENT("nothing gets through and nobody is told"),
        /** As {@link #SILENT}, but only for the names that {@link #silences} tells: one server of several hangs. */
        PARTLY_SILENT("nothing about some of the names gets through"),
        /** Connections are closed, and new ones are refused. */
        REFUSED("connections are refused"),
        /** Requests fail in the middle: some take effect and some do not. Messages get lost. */
        RESET("connections break in the middle of requests"),
        /** Everything takes about {@link #SLOWNESS} longer, which is still less than the command timeout. */
        SLOW("answers come late"),
        /** Requests arrive and take effect, but neither replies nor messages come back. */
        REPLIES_LOST("requests arrive but nothing comes back"),
        /** Connections that are open carry nothing any more, and neither side is told. New ones work. */
        CONNECTIONS_DEAD("open connections are dead and nobody is told"),
        /** The server is gone until the end of the fault; then it runs again, with what its traits promise to keep. */
        RESTARTED("the server is restarted"),
        /** Another server has taken over by the end of the fault. */
        FAILED_OVER("another server takes over"),
        /** The server answers questions but refuses every change, such as a replica or a full disk. */
        READS_ONLY("the server refuses changes");

        private final String explanation;

        Fault(String explanation) {
            this.explanation = explanation;
        }

        /** {@return a few words for a report} */
        public String explanation() {
            return explanation;
        }
    }

    /** By how much {@link Fault#SLOW} delays the answer to a request. */
    Duration SLOWNESS = Duration.ofMillis(100);

    /**
     * Makes the faults in this process, between the client and its store: for stores without a server, or without a way
     * to break it. Faults of servers and of connections are not possible then.
     *
     * @param store where clients go when nothing is broken
     * @return outages for one test
     */
    static Outages injectedInto(StoreUnderTest store) {
        return new InjectedOutages(store);
    }

    /**
     * Sends a client to the store by the way that can be broken, such as {@code client.url(urlOfTheProxy)}.
     *
     * @param client a builder without a store
     * @return the same builder with a store
     */
    HoldfastBuilder connect(HoldfastBuilder client);

    /**
     * Breaks something. Nothing is broken before.
     *
     * @param fault what; never one of the {@link #impossible}
     * @throws Exception if it cannot be broken, which fails the test
     */
    void begin(Fault fault) throws Exception;

    /**
     * Ends the fault, and returns when clients could be served again. Does nothing if nothing is broken.
     *
     * @throws Exception if it cannot be mended, which fails the test
     */
    void end() throws Exception;

    /**
     * Tells which faults this store cannot have, and why. Their tests are reported as assumptions that do not hold.
     *
     * @return a reason per fault; empty if not overridden
     */
    default Map<Fault, String> impossible() {
        return Map.of();
    }

    /**
     * Tells whether a name is one of those that {@link Fault#PARTLY_SILENT} concerns. Many names are, and many are not.
     *
     * @param name any name
     * @return whether nothing about it gets through then
     */
    default boolean silences(String name) {
        return true;
    }

    /**
     * Tells whether held locks live through a fault. Where the server keeps a lock for a connection, it ends with the
     * connection; then its holder is told, and the lock must soon be free for others.
     *
     * @param fault one that is possible
     * @return false if locks end by it; true if not overridden
     */
    default boolean keepsLocks(Fault fault) {
        return true;
    }
}
