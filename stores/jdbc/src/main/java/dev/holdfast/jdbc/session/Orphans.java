package dev.holdfast.jdbc.session;

import dev.holdfast.HoldfastException;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.StoreContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Sessions whose connection this client has closed without an answer. The server may not have noticed: where a network
 * swallows everything, it would keep such a session, and the locks in it, for hours. So they are ended over another
 * connection, as soon as the database answers. Thread-safe.
 */
final class Orphans {
    private static final Duration FIRST_PAUSE = Duration.ofMillis(200);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);
    private static final Duration LONGEST_TURN = Duration.ofSeconds(10);

    /** Beyond that the oldest sessions are left to the server. */
    private static final int MOST = 1_000;

    private final StoreContext context;

    /** By the claim that may be locked there; a claim has one session at a time. */
    private final Map<OwnerId, Orphan> open = new ConcurrentHashMap<>();

    private final AtomicBoolean scheduled = new AtomicBoolean();
    private volatile Duration pause = FIRST_PAUSE;
    private volatile boolean closed;

    private record Orphan(SessionLock lock, SessionId session) {
        void end() {
            lock.end(session);
        }
    }

    Orphans(StoreContext context) {
        this.context = context;
    }

    /** Notes a session whose connection is being closed; does nothing if nobody knows which session it was. */
    void add(OwnerId owner, SessionLock lock, Seat seat) {
        SessionId session = seat.session().orElse(null);
        if (session != null && open.size() < MOST) {
            open.put(owner, new Orphan(lock, session));
            pause = FIRST_PAUSE;
            endLater();
        }
    }

    boolean contains(OwnerId owner) {
        return open.containsKey(owner);
    }

    /**
     * Ends the session of a claim, if there is one left.
     *
     * @throws HoldfastException if the database does not answer
     */
    void end(OwnerId owner) {
        Orphan orphan = open.get(owner);
        if (orphan != null) {
            orphan.end();
            open.remove(owner, orphan);
        }
    }

    private void endLater() {
        if (!closed && scheduled.compareAndSet(false, true)) {
            context.scheduler().schedule(pause, () -> {
                scheduled.set(false);
                endAll();
                if (!open.isEmpty()) {
                    Duration longer = pause.multipliedBy(2);
                    pause = longer.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : longer;
                    endLater();
                }
            });
        }
    }

    /**
     * Ends as many as the database answers for in the time of one turn. One that cannot be ended must not be in the way of
     * the others, so each turn begins with another one.
     */
    private void endAll() {
        List<OwnerId> owners = new ArrayList<>(open.keySet());
        Collections.rotate(owners, context.random().nextInt());
        long until = System.nanoTime() + LONGEST_TURN.toNanos();
        for (OwnerId owner : owners) {
            if (closed || System.nanoTime() - until > 0) {
                return;
            }
            try {
                end(owner);
            } catch (HoldfastException unanswered) {
                // The next turn comes.
                continue;
            }
        }
    }

    /** What is left is left to the server: the engine has asked for what it wanted, and may not be kept waiting. */
    void close() {
        closed = true;
        open.clear();
    }
}
