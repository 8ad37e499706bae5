package dev.holdfast.store.file;

import dev.holdfast.StoreMisconfiguredException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The table as the files tell it: finds the current journal, applies what is new in it, adds to it, and begins a new one
 * when it has become long or cannot be believed.
 *
 * <p>The journal is not forced to the disk. It need not be: after a loss of power every client is dead, and what matters
 * then, the epochs, is forced to the disk in blocks. Therefore a journal from before the machine's last start is not
 * believed. A damaged one is started afresh too, but only once no client is alive that could hold something by it.
 *
 * <p>Used by the keeper's thread only; everything but {@link #look} under the directory's lock.
 */
final class Chronicle {
    /** Far more than the grants of one step. */
    private static final long EPOCH_MARGIN = EpochBlocks.BLOCK / 2;

    private final StoreDirectory directory;
    private final DirectoryLock lock;
    private final Liveness liveness;
    private final EpochBlocks epochs;
    private Replica replica = new Replica();
    private long reservedEnd;

    /** None before the first step, and after a failure until the next. */
    private @Nullable Journal journal;

    Chronicle(StoreDirectory directory, DirectoryLock lock, Liveness liveness) {
        this.directory = directory;
        this.lock = lock;
        this.liveness = liveness;
        this.epochs = new EpochBlocks(directory);
    }

    Replica replica() {
        return replica;
    }

    /** {@return true after applying what others have written, without the lock; false if that needs the lock} */
    boolean look() throws IOException {
        Journal open = journal;
        if (open == null) {
            return true;
        }
        Header header = Header.read(lock.channel()).header();
        if (header == null || header.generation() != open.generation) {
            return false;
        }
        drain(open, replica);
        return true;
    }

    /** {@return true after making the replica equal to the files; false if both had to be started afresh} */
    boolean catchUp(@Nullable String session) throws IOException {
        Header.Reading reading = Header.read(lock.channel());
        Header header = reading.header();
        if (header == null) {
            boolean isNew =
                    reading.flaw() == Header.Flaw.EMPTY && directory.journals().isEmpty() && !epochs.areReadable();
            if (isNew) {
                epochs.create();
            }
            startAfresh(0, session, "its lock file is unreadable");
            return false;
        }
        if (header.format() > Header.FORMAT) {
            throw new StoreMisconfiguredException("the directory '" + directory.path() + "' was written by a newer"
                    + " release (format " + header.format() + "); use that release, or another directory");
        }
        if (journal == null && !isOfThisLife(header, session)) {
            startAfresh(header.generation(), session, "it was written before the machine was started");
            return false;
        }
        try {
            follow(header.generation(), session);
            return true;
        } catch (DamagedException | NoSuchFileException damaged) {
            close();
            startAfresh(header.generation(), session, String.valueOf(damaged.getMessage()));
            return false;
        }
    }

    /** Adds the entry that the replica has just applied. If that fails, the next step reads the files again. */
    void append(Entry entry, boolean frees) throws IOException {
        Journal open = journal;
        if (open == null) {
            throw new IOException("the journal is not open");
        }
        try {
            open.append(entry, frees);
        } catch (IOException failed) {
            close();
            replica = new Replica();
            throw failed;
        }
    }

    /** Sees to it that the next step has epochs that are reserved on the disk. */
    void reserveEpochs() throws IOException {
        if (replica.epoch() + EPOCH_MARGIN > reservedEnd) {
            reservedEnd = epochs.end();
            if (replica.epoch() + EPOCH_MARGIN > reservedEnd || !epochs.areWhole()) {
                reservedEnd = epochs.reserve(replica.epoch());
            }
        }
    }

    /** Replaces a long journal by one that begins with the table as it is; a full disk puts that off. */
    void shorten() {
        Journal old = journal;
        if (old == null || !old.isLong()) {
            return;
        }
        try {
            begin(old.generation + 1, replica.snapshot());
            old.close();
            List<String> idle = directory.clientIds();
            idle.removeAll(replica.table().clients());
            for (String client : idle) {
                if (liveness.isDead(client)) {
                    liveness.bury(client);
                }
            }
        } catch (IOException full) {
            // The next step tries again. Until the header names the new journal, the old one counts.
            return;
        }
    }

    void close() {
        Journal open = journal;
        journal = null;
        if (open != null) {
            open.close();
        }
    }

    private boolean isOfThisLife(Header header, @Nullable String session) throws IOException {
        String boot = MachineTime.boot();
        return boot.isEmpty() ? !others(session).isEmpty() : boot.equals(header.boot());
    }

    /** {@return the other clients that may be alive} */
    private List<String> others(@Nullable String session) throws IOException {
        List<String> others = directory.clientIds();
        others.remove(session);
        for (String client : List.copyOf(others)) {
            if (liveness.isDead(client)) {
                others.remove(client);
            }
        }
        return others;
    }

    /** Begins with an empty table and epochs that were never given, if nobody lives who could hold something. */
    private void startAfresh(long generation, @Nullable String session, String why) throws IOException {
        List<String> others = others(session);
        if (!others.isEmpty()) {
            throw new DamagedException("the directory '" + directory.path() + "' cannot be used: " + why + ", and "
                    + others.size() + " other client(s) may still hold locks there; end them, then try again");
        }
        reservedEnd = epochs.reserve(0);
        Entry.Snapshot empty = Replica.emptySnapshot(reservedEnd - EpochBlocks.BLOCK);
        long latest =
                directory.journals().stream().mapToLong(Long::longValue).max().orElse(0);
        begin(Math.max(generation, latest) + 1, empty);
        replica = new Replica();
        replica.apply(empty);
        for (String client : directory.clientIds()) {
            if (!client.equals(session)) {
                liveness.bury(client);
            }
        }
    }

    private void follow(long generation, @Nullable String session) throws IOException {
        Journal open = journal;
        if (open != null && open.generation != generation) {
            drain(open, replica);
            close();
            open = successor(generation);
        }
        if (open == null) {
            load(generation, session);
        } else {
            drain(open, replica);
            open.settleEnd(false);
        }
    }

    /** {@return the journal that goes on where the replica stands; null if something lies between} */
    private @Nullable Journal successor(long generation) throws IOException {
        Journal next = Journal.open(directory, generation);
        if (next.next() instanceof Entry.Snapshot first && first.sequence() == replica.sequence()) {
            journal = next;
            return next;
        }
        next.close();
        return null;
    }

    private void load(long generation, @Nullable String session) throws IOException {
        Journal opened = Journal.open(directory, generation);
        journal = opened;
        if (!(opened.next() instanceof Entry.Snapshot first)) {
            throw new DamagedException("'journal-" + generation + "' does not begin with the whole table");
        }
        Replica loaded = new Replica();
        loaded.apply(first);
        drain(opened, loaded);
        opened.settleEnd(true);
        loaded.takeNotices();
        if (session != null) {
            loaded.tellWhatChangedSince(replica, session);
        }
        replica = loaded;
    }

    private static void drain(Journal from, Replica into) throws IOException {
        for (Entry entry = from.next(); entry != null; entry = from.next()) {
            into.apply(entry);
        }
    }

    private void begin(long generation, Entry.Snapshot first) throws IOException {
        Journal begun = Journal.create(directory, generation, first);
        try {
            new Header(Header.FORMAT, generation, MachineTime.boot()).write(lock.channel());
        } catch (IOException failed) {
            begun.close();
            Files.deleteIfExists(directory.journal(generation));
            throw failed;
        }
        journal = begun;
        for (long other : directory.journals()) {
            if (other != generation) {
                Files.deleteIfExists(directory.journal(other));
            }
        }
    }
}
