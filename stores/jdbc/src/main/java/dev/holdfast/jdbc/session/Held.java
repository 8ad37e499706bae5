package dev.holdfast.jdbc.session;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;

/** A claim that holds, with the connection that holds it. The connection is used under {@link #use} only. */
final class Held {
    final Claim claim;
    final List<Grant> grants;
    final Seat seat;
    final String session;

    /** What took it, and gives it back. */
    final SessionLock lock;

    /** Guards the connection and what follows. */
    final ReentrantLock use = new ReentrantLock();

    /** The names that were given back already. */
    final Set<String> givenBack = new HashSet<>();

    boolean ended;

    /** Whether somebody is looking at the connection just now; not guarded. */
    final AtomicBoolean lookedAt = new AtomicBoolean();

    Held(Claim claim, List<Grant> grants, Seat seat, String session, SessionLock lock) {
        this.claim = claim;
        this.grants = grants;
        this.seat = seat;
        this.session = session;
        this.lock = lock;
    }

    boolean matches(Grant grant) {
        return grants.stream().anyMatch(mine -> mine.name().equals(grant.name()) && mine.epoch() == grant.epoch());
    }
}
