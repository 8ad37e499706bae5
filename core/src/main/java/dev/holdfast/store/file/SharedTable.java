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
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiConsumer;
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
    private final BiConsumer<String, List<Claim>> sessionEnds;
    private List<Replica.Notice> outbox = new ArrayList<>();

    /** The client's id while it is alive in the directory; it needs none before its first claim. */
    private @Nullable String session;

    /** A session that others have ended, and that is yet to be told. */
    private @Nullable String lostSession;

    private SharedTable(StoreDirectory directory, MonotonicClock clock, BiConsumer<String, List<Claim>> sessionEnds)
            throws IOException {
        this.directory = directory;
        this.sessionEnds = sessionEnds;
        this.lock = DirectoryLock.open(directory, clock);
        this.liveness = new Liveness(directory, clock);
        this.chronicle = new Chronicle(directory, lock, liveness);
    }

    /**
     * Opens a directory.
     *
     * @param sessionEnds told of a session that has to end while others still believe in it, and of the claims that wait
     *     in it; no lock is held then
     */
    static SharedTable open(Path path, MonotonicClock clock, BiConsumer<String, List<Claim>> sessionEnds)
            throws IOException {
        return new SharedTable(StoreDirectory.prepare(path), clock, sessionEnds);
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
        String before = session;
        if (!tryStep(deadlineNanos, steps)) {
            loseSession();
            if (!tryStep(deadlineNanos, steps)) {
                throw new IllegalStateException("a client without a session has to end it");
            }
        }
        if (session != null && !session.equals(before) && !lock.isCurrent()) {
            // The lock file was deleted meanwhile. Others may have begun anew before there was a session that they saw.
            throw new IOException("'" + directory.path() + "' was deleted or replaced in this moment");
        }
    }

    /** {@return false if nothing was done, because the session has to end first} */
    private boolean tryStep(long deadlineNanos, Runnable steps) throws IOException {
        return lock.hold(deadlineNanos, () -> {
            boolean caughtUp = chronicle.catchUp(session);
            if (caughtUp) {
                hearOthers();
                steps.run();
                chronicle.shorten();
                chronicle.vouch();
            }
            return caughtUp;
        });
    }

    /** Does one of the things of a step. */
    <R> R perform(Task.Work<R> work) throws IOException {
        if (!chronicle.isOpen()) {
            throw new IOException("the journal could not be read again after a failure; try again");
        }
        return work.run(this);
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
        String before = table().clientOf(claim.owner());
        if (before != null && !before.equals(client)) {
            // Made in an earlier session, with which it ends: others will find that one dead.
            end(claim.owner());
        }
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

    int evict(String name, OptionalLong epoch, String by, String reason) throws IOException {
        return write(new Entry.Evicted(now(), name, epoch, by, reason), true, Replica::evict);
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

    /** Tells of the session that others have ended, if they have and that has not been told. */
    void tellLostSession() {
        String lost = lostSession;
        if (lost != null) {
            sessionEnds.accept(lost, List.of());
            lostSession = null;
        }
    }

    /** {@return what is to be told since the last call} */
    List<Replica.Notice> takeNotices() {
        List<Replica.Notice> taken = outbox;
        outbox = new ArrayList<>();
        return taken;
    }

    /** Closes the files; a session that is left ends with it. If that fails, it is to be closed again. */
    void close() {
        tellLostSession();
        loseSession();
        chronicle.close();
        lock.close();
    }

    /**
     * Ends the session because its files are gone or cannot be believed: first tells, then lets others take over. If it
     * cannot be told, it does not end, and has to be ended again.
     */
    private void loseSession() {
        String lost = session;
        if (lost != null) {
            sessionEnds.accept(lost, table().waitingOf(lost));
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
                    lostSession = session;
                    session = null;
                    liveness.end(false);
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
        R result;
        List<Replica.Notice> notices;
        try {
            result = step.apply(replica, entry);
            notices = replica.takeNotices();
            if (replica.table().changes() == before) {
                replica.uncount();
                return result;
            }
            chronicle.append(entry, frees);
        } catch (IOException | RuntimeException failed) {
            chronicle.undo();
            throw failed;
        }
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
