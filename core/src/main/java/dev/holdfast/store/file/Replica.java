package dev.holdfast.store.file;

import dev.holdfast.LockView;
import dev.holdfast.LossReason;
import dev.holdfast.StoreTraits;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.store.table.LockTable;
import dev.holdfast.store.table.Notices;
import dev.holdfast.store.table.TableImage;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One process's copy of the table, made by applying the journal's entries one after another. Not thread-safe. */
final class Replica implements Notices<String> {
    private final LockTable<String> table = new LockTable<>(StoreTraits.Expiry.SESSION, this::nextEpoch, this);

    /** What the entries since the last {@link #takeNotices()} have to tell, in order. */
    private List<Notice> notices = new ArrayList<>();

    private long sequence;
    private long epoch;
    private long latestNanos;

    /** Something that a client should hear. */
    sealed interface Notice {
        String client();

        /** It may be worth asking again. */
        record Retry(String client, String name, OwnerId owner) implements Notice {}

        record Granted(String client, List<Grant> grants) implements Notice {}

        record Wanted(String client, String name, long epoch) implements Notice {}

        record Lost(String client, String name, OwnerId owner, long epoch, LossReason reason) implements Notice {}

        /** It was found dead, or has left. */
        record Gone(String client) implements Notice {}
    }

    LockTable<String> table() {
        return table;
    }

    /** How many entries have made this table, over all generations. */
    long sequence() {
        return sequence;
    }

    /** The epoch that the next grant gets. */
    long epoch() {
        return epoch;
    }

    /** {@return the wall clock, but never earlier than any entry} */
    long now() {
        latestNanos = Math.max(latestNanos, MachineTime.wallNanos());
        return latestNanos;
    }

    Entry.Snapshot snapshot() {
        return new Entry.Snapshot(now(), sequence, epoch, table.image());
    }

    static Entry.Snapshot emptySnapshot(long firstEpoch) {
        return new Entry.Snapshot(MachineTime.wallNanos(), 0, firstEpoch, new TableImage<>(0, List.of(), List.of()));
    }

    void apply(Entry entry) {
        if (entry instanceof Entry.Snapshot snapshot) {
            latestNanos = Math.max(latestNanos, snapshot.atNanos());
            sequence = snapshot.sequence();
            epoch = snapshot.nextEpoch();
            table.restore(snapshot.image());
        } else if (entry instanceof Entry.Claimed claimed) {
            claim(claimed);
        } else if (entry instanceof Entry.Released released) {
            release(released);
        } else if (entry instanceof Entry.Evicted evicted) {
            evict(evicted);
        } else if (entry instanceof Entry.Ended ended) {
            end(ended);
        } else if (entry instanceof Entry.Gone gone) {
            leave(gone);
        }
    }

    AcquireOutcome claim(Entry.Claimed entry) {
        count(entry);
        return table.acquire(entry.client(), entry.claim(), entry.atNanos());
    }

    ReleaseOutcome release(Entry.Released entry) {
        count(entry);
        return table.release(entry.grant(), entry.atNanos());
    }

    int evict(Entry.Evicted entry) {
        count(entry);
        return table.evict(entry.name(), entry.epoch(), entry.by(), entry.reason(), entry.atNanos());
    }

    boolean end(Entry.Ended entry) {
        count(entry);
        return table.end(entry.owner(), entry.atNanos());
    }

    boolean leave(Entry.Gone entry) {
        count(entry);
        boolean any = table.leave(entry.client(), entry.atNanos());
        notices.add(new Notice.Gone(entry.client()));
        return any;
    }

    /** Takes back the count of a step that turned out to change nothing, and so was not written. */
    void uncount() {
        sequence--;
    }

    /** Takes the place of an older table: tells what that has not told yet, and what a client has missed in between. */
    void replace(Replica older, @Nullable String client) {
        notices = older.takeNotices();
        if (client != null) {
            tellWhatChangedSince(older, client);
        }
    }

    private void tellWhatChangedSince(Replica older, String client) {
        List<Grant> held = table.heldBy(client, now());
        for (Grant before : older.table.heldBy(client, now())) {
            if (held.stream()
                    .noneMatch(grant -> grant.owner().equals(before.owner()) && grant.epoch() == before.epoch())) {
                LossReason reason = table.inspect(before.name(), now())
                        .flatMap(LockView::lastEviction)
                        .map(eviction -> LossReason.EVICTED)
                        .orElse(LossReason.SESSION_LOST);
                notices.add(new Notice.Lost(client, before.name(), before.owner(), before.epoch(), reason));
            }
        }
        held.stream().filter(Grant::wanted).forEach(grant -> wanted(client, grant.name(), grant.epoch()));
        for (Claim claim : older.table.waitingOf(client)) {
            notices.add(new Notice.Retry(client, claim.parts().get(0).name(), claim.owner()));
        }
    }

    List<Notice> takeNotices() {
        List<Notice> taken = notices;
        notices = new ArrayList<>();
        return taken;
    }

    @Override
    public void granted(String client, List<Grant> grants) {
        notices.add(new Notice.Granted(client, grants));
    }

    @Override
    public void wanted(String client, String name, long heldEpoch) {
        notices.add(new Notice.Wanted(client, name, heldEpoch));
    }

    @Override
    public void lost(String client, String name, OwnerId owner, long heldEpoch, LossReason reason) {
        notices.add(new Notice.Lost(client, name, owner, heldEpoch, reason));
    }

    private void count(Entry entry) {
        sequence++;
        latestNanos = Math.max(latestNanos, entry.atNanos());
    }

    private long nextEpoch() {
        return epoch++;
    }
}
