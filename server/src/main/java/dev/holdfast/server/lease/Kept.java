package dev.holdfast.server.lease;

import dev.holdfast.LossReason;
import dev.holdfast.server.history.History;
import dev.holdfast.server.history.Holding;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.OwnerId;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledFuture;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * What this instance remembers of leases. Where the store keeps time nothing has to be remembered, but who listens to a
 * lease. Where a grant lives as long as the session of this instance, the instance itself ends it when its time is over.
 * Thread-safe.
 */
final class Kept {
    private final StoreThreads threads;
    private final Leftovers leftovers;
    private final History history;
    private final Map<OwnerId, Entry> entries = new ConcurrentHashMap<>();
    private final Map<String, OwnerId> byScope = new ConcurrentHashMap<>();
    private final Map<OwnerId, Set<Consumer<Ending>>> watchers = new ConcurrentHashMap<>();

    /** How a lease ended. */
    record Ending(boolean released, @Nullable LossReason reason) {}

    private static final class Entry {
        private final List<Grant> grants;
        private final String scope;

        /** Guarded by the entry's monitor, like the next two. */
        private @Nullable ScheduledFuture<?> end;

        /** Which timer counts: one that was cancelled may run all the same. */
        private int turn;

        private boolean over;

        Entry(List<Grant> grants, String scope) {
            this.grants = grants;
            this.scope = scope;
        }

        /** {@return false if its time was over} */
        synchronized boolean endWith(IntFunction<ScheduledFuture<?>> timer) {
            if (over) {
                return false;
            }
            stopTimer();
            end = timer.apply(turn);
            return true;
        }

        /** Its time is over, or its place is another's; false if that was so before. */
        synchronized boolean finish() {
            boolean first = !over;
            over = true;
            stopTimer();
            return first;
        }

        synchronized boolean finish(int ofTurn) {
            return ofTurn == turn && finish();
        }

        private void stopTimer() {
            if (end != null) {
                end.cancel(false);
            }
            turn++;
        }
    }

    Kept(StoreThreads threads, Leftovers leftovers, History history) {
        this.threads = threads;
        this.leftovers = leftovers;
        this.history = history;
    }

    /** Keeps a lease of a session, for so long unless it is kept again; false if it is being given back. */
    boolean keep(List<Grant> grants, String scope, long nanos) {
        OwnerId owner = grants.get(0).owner();
        Entry entry = new Entry(List.copyOf(grants), scope);
        Entry earlier = entries.put(owner, entry);
        // Without an earlier one whatever is given back is known to be.
        boolean leaves = (earlier != null && !earlier.finish()) || leftovers.isLeaving(grants);
        if (leaves) {
            entries.remove(owner, entry);
            return false;
        }
        byScope.put(scope, owner);
        return entry.endWith(turn -> threads.later(nanos, () -> timeIsOver(owner, entry, turn)));
    }

    /** Gives a lease that is kept more time. */
    boolean extend(OwnerId owner, long nanos) {
        Entry entry = entries.get(owner);
        return entry != null && entry.endWith(turn -> threads.later(nanos, () -> timeIsOver(owner, entry, turn)));
    }

    /** {@return the grants of a lease of this instance's session} */
    Optional<List<Grant>> grants(OwnerId owner) {
        return Optional.ofNullable(entries.get(owner)).map(entry -> entry.grants);
    }

    /** {@return the owner that a scope's lease was kept for} */
    Optional<OwnerId> ownerOf(String scope) {
        return Optional.ofNullable(byScope.get(scope)).filter(entries::containsKey);
    }

    int count() {
        return entries.size();
    }

    /** Somebody wants to know how a lease ends; to be run to stop that. */
    Runnable watch(OwnerId owner, Consumer<Ending> watcher) {
        watchers.computeIfAbsent(owner, made -> ConcurrentHashMap.newKeySet()).add(watcher);
        return () -> watchers.computeIfPresent(owner, (same, all) -> {
            all.remove(watcher);
            return all.isEmpty() ? null : all;
        });
    }

    /** A lease has ended. */
    void ended(OwnerId owner, Ending ending) {
        forget(owner);
        tell(owner, ending);
    }

    private void tell(OwnerId owner, Ending ending) {
        Set<Consumer<Ending>> told = watchers.remove(owner);
        if (told != null) {
            told.forEach(watcher -> watcher.accept(ending));
        }
    }

    void sessionLost(String session) {
        entries.forEach((owner, entry) -> {
            if (entry.grants.stream().anyMatch(grant -> Objects.equals(session, grant.session()))) {
                history.ended(entry.grants, Holding.Ending.lost(Leases.word(LossReason.SESSION_LOST)));
                ended(owner, new Ending(false, LossReason.SESSION_LOST));
            }
        });
    }

    private void timeIsOver(OwnerId owner, Entry entry, int turn) {
        if (entry.finish(turn)) {
            history.ended(entry.grants, Holding.Ending.lost(Leases.word(LossReason.EXPIRED)));
            // First, so that whoever finds no entry knows that it is being given back.
            leftovers.release(entry.grants);
            entries.remove(owner, entry);
            byScope.remove(entry.scope, owner);
            tell(owner, new Ending(false, LossReason.EXPIRED));
        }
    }

    private void forget(OwnerId owner) {
        Entry entry = entries.remove(owner);
        if (entry != null) {
            entry.finish();
            byScope.remove(entry.scope, owner);
        }
    }
}
