package dev.holdfast.store.file;

import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.MonotonicClock;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.store.table.LockTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * The table that all processes share, as one client uses it: each step is applied to the client's replica and written
 * to the journal, under the directory's lock. Used by the keeper's thread only.
 */
final class SharedTable {
    private final StoreDirectory directory;
    private final DirectoryLock lock;
    private final Liveness liveness;
    private final Chronicle chronicle;
    private List<Replica.Notice> outbox = new ArrayList<>();

    /** The client's id while it is alive in the directory; it needs none before its first claim. */
    private @Nullable String session;

    private @Nullable String lostSession;

    private SharedTable(StoreDirectory directory, MonotonicClock clock) throws IOException {
        this.directory = directory;
        this.lock = DirectoryLock.open(directory, clock);
        this.liveness = new Liveness(directory, clock);
        this.chronicle = new Chronicle(directory, lock, liveness);
    }

    static SharedTable open(Path path, MonotonicClock clock) throws IOException {
        return new SharedTable(StoreDirectory.prepare(path), clock);
    }

    @Nullable
    String session() {
        return session;
    }

    Path home(String client) {
        return directory.client(client);
    }

    /** {@return whether the directory is still the one that others use, and they see this client in it} */
    boolean isCurrent() throws IOException {
        return lock.isCurrent() && (session == null || liveness.isSeen());
    }

    /** Runs steps under the directory's lock, on a table that is up to date. */
    void step(long deadlineNanos, Runnable steps) throws IOException {
        lock.hold(deadlineNanos, () -> {
            boolean continued = chronicle.catchUp(session);
            hearOthers();
            if (!continued) {
                loseSession();
            }
            steps.run();
            chronicle.shorten();
            return true;
        });
    }

    /** {@return true after applying what others have written, without the lock; false if that needs a step} */
    boolean look() throws IOException {
        boolean done = chronicle.look();
        hearOthers();
        return done;
    }

    /** The table as of the last look or step; to be looked at only. */
    LockTable<String> table() {
        return chronicle.replica().table();
    }

    long now() {
        return chronicle.replica().now();
    }

    AcquireOutcome claim(Claim claim) throws IOException {
        String client = session == null ? beginSession() : session;
        AcquireOutcome outcome = write(new Entry.Claimed(now(), client, claim), false, Replica::claim);
        if (outcome instanceof AcquireOutcome.Contended && bury(table().ahead(claim))) {
            return write(new Entry.Claimed(now(), client, claim), false, Replica::claim);
        }
        return outcome;
    }

    ReleaseOutcome release(Grant grant) throws IOException {
        return write(new Entry.Released(now(), grant), true, Replica::release);
    }

    void end(OwnerId owner) throws IOException {
        write(new Entry.Ended(now(), owner), true, Replica::end);
    }

    int evict(String name, String by, String reason) throws IOException {
        return write(new Entry.Evicted(now(), name, by, reason), true, Replica::evict);
    }

    /** {@return which of some clients are certainly dead} */
    List<String> deadAmong(Collection<String> clients) throws IOException {
        List<String> dead = new ArrayList<>();
        for (String client : clients) {
            if (!client.equals(session) && liveness.isDead(client)) {
                dead.add(client);
            }
        }
        return dead;
    }

    /** {@return whether some of the clients were dead; what they have left behind is ended} */
    boolean bury(Collection<String> suspects) throws IOException {
        List<String> dead = deadAmong(suspects);
        for (String client : dead) {
            write(new Entry.Gone(now(), client), true, Replica::leave);
            liveness.bury(client);
        }
        return !dead.isEmpty();
    }

    /** Ends the session, under the directory's lock; whatever it held is free. */
    void endSession() throws IOException {
        String ended = session;
        if (ended != null) {
            session = null;
            boolean recorded = false;
            try {
                write(new Entry.Gone(now(), ended), true, Replica::leave);
                recorded = true;
            } finally {
                liveness.end(recorded);
            }
        }
    }

    /** {@return the session that has ended without its doing since the last call, if one has} */
    @Nullable
    String takeLostSession() {
        String lost = lostSession;
        lostSession = null;
        return lost;
    }

    /** {@return what is to be told since the last call} */
    List<Replica.Notice> takeNotices() {
        List<Replica.Notice> taken = outbox;
        outbox = new ArrayList<>();
        return taken;
    }

    /** Closes the files; a session that is left ends with it. */
    void close() {
        loseSession();
        chronicle.close();
        lock.close();
    }

    /** Others believed the client dead, or its files are gone. */
    private void loseSession() {
        if (session != null) {
            lostSession = session;
            session = null;
            liveness.end(false);
        }
    }

    /** Of what others have written, only what concerns this client; they wake the others. */
    private void hearOthers() {
        for (Replica.Notice notice : chronicle.replica().takeNotices()) {
            if (notice.client().equals(session)) {
                outbox.add(notice);
                if (notice instanceof Replica.Notice.Gone) {
                    loseSession();
                }
            }
        }
    }

    private String beginSession() throws IOException {
        String id = UUID.randomUUID().toString();
        liveness.begin(id);
        session = id;
        return id;
    }

    /** Applies a step of our own and writes it down, if it changed anything. */
    private <E extends Entry, R> R write(E entry, boolean frees, BiFunction<Replica, E, R> step) throws IOException {
        chronicle.reserveEpochs();
        Replica replica = chronicle.replica();
        long before = replica.table().changes();
        R result = step.apply(replica, entry);
        List<Replica.Notice> notices = replica.takeNotices();
        if (replica.table().changes() == before) {
            replica.uncount();
            return result;
        }
        chronicle.append(entry, frees);
        outbox.addAll(notices);
        Set<String> granted = new LinkedHashSet<>();
        for (Replica.Notice notice : notices) {
            if (notice instanceof Replica.Notice.Granted) {
                granted.add(notice.client());
            }
        }
        bury(granted);
        return result;
    }
}
