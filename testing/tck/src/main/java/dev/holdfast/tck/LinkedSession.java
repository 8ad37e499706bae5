package dev.holdfast.tck;

import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreListener;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A session that a test makes a client of a store without sessions believe in, so that it can be lost at any moment.
 * Off until {@link #begin}. Thread-safe.
 */
final class LinkedSession {
    /** What the store has granted in this session; guarded by this object's monitor, as is all below. */
    private final List<Grant> grants = new ArrayList<>();

    private @Nullable LockStore store;
    private @Nullable StoreListener client;
    private int number;

    synchronized void connect(LockStore opened, StoreListener listener) {
        store = opened;
        client = listener;
    }

    /** From now on grants are bound to a session. */
    synchronized void begin() {
        number = 1;
    }

    /** Ends the session and begins another: the store forgets the grants of the old one, and the client is told. */
    void lose() {
        String over;
        LockStore behind;
        StoreListener told;
        List<Grant> ended;
        synchronized (this) {
            over = id();
            number++;
            behind = store;
            told = client;
            ended = List.copyOf(grants);
            grants.clear();
        }
        if (behind == null || told == null) {
            throw new IllegalStateException("no client is connected");
        }
        if (!ended.isEmpty()) {
            behind.release(ended);
        }
        told.sessionLost(over);
    }

    AcquireOutcome stamp(AcquireOutcome outcome) {
        return outcome instanceof AcquireOutcome.Granted granted
                ? new AcquireOutcome.Granted(stamp(granted.grants()))
                : outcome;
    }

    /** Binds grants to the session, if there is one. */
    synchronized List<Grant> stamp(List<Grant> granted) {
        if (number == 0) {
            return granted;
        }
        grants.addAll(granted);
        return granted.stream().map(grant -> bound(grant, id())).toList();
    }

    /** {@return the grants as the store knows them} */
    synchronized List<Grant> plain(List<Grant> bound) {
        return number == 0
                ? bound
                : bound.stream().map(grant -> bound(grant, null)).toList();
    }

    private String id() {
        return "tck-session-" + number;
    }

    private static Grant bound(Grant grant, @Nullable String session) {
        return new Grant(
                grant.name(), grant.owner(), grant.epoch(), grant.lease(), grant.validFor(), session, grant.wanted());
    }
}
