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
    private final String boot = MachineTime.boot();
    private Replica replica = new Replica();
    private long reservedEnd;

    /** What the replica was made from; none before the first step, and after a failure until the next. */
    private @Nullable Journal journal;

    /** How much of the journal the header vouches for. */
    private long vouchedEnd;

    Chronicle(StoreDirectory directory, DirectoryLock lock, Liveness liveness) {
        this.directory = directory;
        this.lock = lock;
        this.liveness = liveness;
        this.epochs = new EpochBlocks(directory);
    }

    Replica replica() {
        return replica;
    }

    /** {@return whether the replica is what the files say; after a failure it is not, until the next step} */
    boolean isOpen() {
        return journal != null;
    }

    /** {@return true after applying what others have written, without the lock; false if that needs the lock} */
    boolean look() throws IOException {
        Journal open = journal;
        if (open == null) {
            return false;
        }
        Header header = Header.read(lock.channel()).header();
        if (header == null || header.generation() != open.generation) {
            return false;
        }
        try {
            drain(open, replica);
            return true;
        } catch (DamagedException damaged) {
            close();
            return false;
        }
    }

    /**
     * Makes the replica equal to the files.
     *
     * @param session the client's own session, if it has one
     * @return false if both have to be started afresh, and the session has to end before that
     */
    boolean catchUp(@Nullable String session) throws IOException {
        Header.Reading reading = Header.read(lock.channel());
        Header header = reading.header();
        if (header == null) {
            boolean isNew =
                    reading.flaw() == Header.Flaw.EMPTY && directory.journals().isEmpty() && !epochs.areReadable();
            if (isNew) {
                epochs.create();
            }
            return startAfresh(0, session, "its lock file is unreadable");
        }
        if (header.format() > Header.FORMAT) {
            throw new StoreMisconfiguredException("the directory '" + directory.path() + "' was written by a newer"
                    + " release (format " + header.format() + "); use that release, or another directory");
        }
        if (journal == null && !isOfThisLife(header, session)) {
            return startAfresh(header.generation(), session, "it was written before the machine was started");
        }
        try {
            vouchedEnd = header.end();
            follow(header.generation(), session);
            return true;
        } catch (DamagedException | NoSuchFileException damaged) {
            close();
            return startAfresh(header.generation(), session, String.valueOf(damaged.getMessage()));
        }
    }

    /** Adds the entry that the replica has just applied. */
    void append(Entry entry, boolean frees) throws IOException {
        Journal open = journal;
        if (open == null) {
            throw new IOException("the journal is not open");
        }
        open.append(entry, frees);
    }

    /** Reads the files again, because the replica has applied what could not be written. */
    void undo() {
        Journal open = journal;
        if (open == null) {
            return;
        }
        close();
        replica.takeNotices();
        try {
            load(open.generation, null);
        } catch (IOException | RuntimeException later) {
            // Without a journal nothing is done any more in this step; the next begins with reading it.
            return;
        }
    }

    /**
     * Ends a step: vouches for what it has written. Only what comes behind that can be an entry whose writer was killed
     * before it was finished; anything unreadable before it is damage, and never taken for something that did not happen.
     */
    void vouch() throws IOException {
        Journal open = journal;
        if (open != null && open.end() != vouchedEnd) {
            new Header(Header.FORMAT, open.generation, boot, open.end()).write(lock.channel());
            vouchedEnd = open.end();
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
            begin(old.generation + 1, replica.snapshot(), replica);
            List<String> idle = directory.clientIds();
            idle.removeAll(replica.table().clients());
            for (String client : idle) {
                if (hasEnded(client)) {
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
        boolean unknown = boot.isEmpty() || header.boot().isEmpty();
        return unknown ? !others(session).isEmpty() : boot.equals(header.boot());
    }

    /** {@return the other clients that may be alive} */
    private List<String> others(@Nullable String session) throws IOException {
        List<String> others = directory.clientIds();
        others.remove(session);
        for (String client : List.copyOf(others)) {
            if (hasEnded(client)) {
                others.remove(client);
            }
        }
        return others;
    }

    private boolean hasEnded(String client) throws IOException {
        return liveness.isDead(client) || liveness.isRemnant(client);
    }

    /**
     * Begins with an empty table and epochs that were never given, if nobody lives who could hold something.
     *
     * @return false if that is the client itself
     */
    private boolean startAfresh(long generation, @Nullable String session, String why) throws IOException {
        List<String> others = others(session);
        if (!others.isEmpty()) {
            throw new DamagedException("the directory '" + directory.path() + "' cannot be used: " + why + ", and "
                    + others.size() + " other client(s) may still hold locks there; end them, then try again");
        }
        if (session != null) {
            return false;
        }
        reservedEnd = epochs.reserve(0);
        Entry.Snapshot empty = Replica.emptySnapshot(reservedEnd - EpochBlocks.BLOCK);
        Replica fresh = new Replica();
        fresh.apply(empty);
        long latest =
                directory.journals().stream().mapToLong(Long::longValue).max().orElse(0);
        // A number that no journal ever had: somebody may have one open that was deleted.
        begin(Math.max(Math.max(generation, latest) + 1, reservedEnd), empty, fresh);
        directory.clientIds().forEach(liveness::bury);
        return true;
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
            open.settleEnd(vouchedEnd, false);
        }
    }

    /** {@return the journal that goes on where the replica stands; null if something lies between} */
    private @Nullable Journal successor(long generation) throws IOException {
        Journal next = Journal.open(directory, generation);
        try {
            if (next.next() instanceof Entry.Snapshot first
                    && first.sequence() == replica.sequence()
                    && first.nextEpoch() == replica.epoch()) {
                journal = next;
                return next;
            }
            return null;
        } finally {
            if (journal != next) {
                next.close();
            }
        }
    }

    private void load(long generation, @Nullable String session) throws IOException {
        Journal opened = Journal.open(directory, generation);
        try {
            if (!(opened.next() instanceof Entry.Snapshot first)) {
                throw new DamagedException("'journal-" + generation + "' does not begin with the whole table");
            }
            Replica loaded = new Replica();
            loaded.apply(first);
            drain(opened, loaded);
            opened.settleEnd(vouchedEnd, true);
            loaded.replace(replica, session);
            journal = opened;
            replica = loaded;
        } finally {
            if (journal != opened) {
                opened.close();
            }
        }
    }

    private static void drain(Journal from, Replica into) throws IOException {
        for (Entry entry = from.next(); entry != null; entry = from.next()) {
            try {
                into.apply(entry);
            } catch (RuntimeException senseless) {
                throw new DamagedException(
                        "'journal-" + from.generation + "' has an entry that cannot be applied (" + senseless + ")");
            }
        }
    }

    /** Begins a journal; from the moment in which the header names it, it and its table are the current ones. */
    private void begin(long generation, Entry.Snapshot first, Replica table) throws IOException {
        Journal begun = Journal.create(directory, generation, first);
        try {
            new Header(Header.FORMAT, generation, boot, begun.end()).write(lock.channel());
        } catch (IOException failed) {
            begun.close();
            Files.deleteIfExists(directory.journal(generation));
            throw failed;
        }
        close();
        journal = begun;
        replica = table;
        vouchedEnd = begun.end();
        directory.deleteJournalsBut(generation);
    }
}
