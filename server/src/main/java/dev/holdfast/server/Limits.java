package dev.holdfast.server;

import java.time.Duration;

/**
 * What one client, or all of them, may ask of a server at most.
 *
 * @param bodyBytes the longest body
 * @param mostNames how many names one lease may have
 * @param shortestLease the shortest lease
 * @param longestLease the longest lease
 * @param longestWait the longest wait of one request
 * @param waitersPerClient how many requests of one client may wait
 * @param waiters how many requests may wait in all
 * @param streamsPerClient how many event streams one client may have open
 * @param streams how many event streams may be open in all
 * @param unreadBytes how many bytes the server holds for all clients that do not read what it sends
 * @param connections how many connections there may be
 * @param requestTime how long a request may take to arrive
 * @param idleTime how long a connection may stay without a request, and an answer or a stream without being read
 */
public record Limits(
        int bodyBytes,
        int mostNames,
        Duration shortestLease,
        Duration longestLease,
        Duration longestWait,
        int waitersPerClient,
        int waiters,
        int streamsPerClient,
        int streams,
        long unreadBytes,
        int connections,
        Duration requestTime,
        Duration idleTime) {

    /** {@return the limits of a server that is told nothing else} */
    public static Limits usual() {
        return new Limits(
                16_384,
                16,
                Duration.ofSeconds(1),
                Duration.ofDays(1),
                Duration.ofHours(1),
                5_000,
                20_000,
                1_000,
                2_000,
                128L << 20,
                30_000,
                Duration.ofSeconds(10),
                Duration.ofSeconds(75));
    }

    /** {@return a copy with another limit for waiting requests of one client} */
    public Limits withWaitersPerClient(int most) {
        return new Limits(
                bodyBytes,
                mostNames,
                shortestLease,
                longestLease,
                longestWait,
                most,
                waiters,
                streamsPerClient,
                streams,
                unreadBytes,
                connections,
                requestTime,
                idleTime);
    }

    /** {@return a copy with other limits for all clients together} */
    public Limits withTotals(int mostWaiters, int mostStreams, int mostConnections) {
        return new Limits(
                bodyBytes,
                mostNames,
                shortestLease,
                longestLease,
                longestWait,
                waitersPerClient,
                mostWaiters,
                streamsPerClient,
                mostStreams,
                unreadBytes,
                mostConnections,
                requestTime,
                idleTime);
    }

    /** {@return a copy with other limits for event streams} */
    public Limits withStreams(int mostPerClient, int mostInAll, long mostUnreadBytes) {
        return new Limits(
                bodyBytes,
                mostNames,
                shortestLease,
                longestLease,
                longestWait,
                waitersPerClient,
                waiters,
                mostPerClient,
                mostInAll,
                mostUnreadBytes,
                connections,
                requestTime,
                idleTime);
    }

    /** {@return a copy with other limits for clients that are slow} */
    public Limits withPatience(Duration forRequest, Duration forNextRequest) {
        return new Limits(
                bodyBytes,
                mostNames,
                shortestLease,
                longestLease,
                longestWait,
                waitersPerClient,
                waiters,
                streamsPerClient,
                streams,
                unreadBytes,
                connections,
                forRequest,
                forNextRequest);
    }
}
