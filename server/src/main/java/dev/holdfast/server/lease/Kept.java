package dev.holdfast.server.lease;

import dev.holdfast.LossReason;
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
import org.jspecify.annotations.Nullable;

/**
 * What this instance remembers of leases. Where the store keeps time nothing has to be remembered, but who listens to a
 * lease. Where a grant lives as long as the session of this instance, the instance itself ends it when its time is over.
 * Thread-safe.
 */
final class Kept {
    private final StoreThreads threads;
    private final Consumer<List<Grant>> giveBack;
    private final Map<OwnerId, Entry> entries = new ConcurrentHashMap<>();
    private final Map<String, OwnerId> byScope = new ConcurrentHashMap<>();
    private final Map<OwnerId, Set<Consumer<Ending>>> watchers = new ConcurrentHashMap<>();

    /** How a lease ended. */
    record Ending(boolean released, @Nullable LossReason reason) {}

    private static final class Entry {
        private final List<Grant> grants;
        private final String scope;

        /** Guarded by the entry's monitor. */
        private @Nullable ScheduledFuture<?> end;

        Entry(List<Grant> grants, String scope) {
            this.grants = grants;
            this.scope = scope;
        }

        synchronized void endWith(@Nullable ScheduledFuture<?> other) {
            if (end != null) {
                end.cancel(false);
            }
            end = other;
        }
    }

    Kept(StoreThreads threads, Consumer<List<Grant>> giveBack) {
        this.threads = threads;
        this.giveBack = giveBack;
    }

    /** Keeps a lease of a session, for so long unless it is kept again. */
    void keep(List<Grant> grants, String scope, long nanos) {
        OwnerId owner = grants.get(0).owner();
        Entry entry = new Entry(List.copyOf(grants), scope);
        Entry earlier = entries.put(owner, entry);
        if (earlier != null) {
            earlier.endWith(null);
        }
        byScope.put(scope, owner);
        entry.endWith(threads.later(nanos, () -> timeIsOver(owner, entry)));
    }

    /** Gives a lease that is kept more time. */
    boolean extend(OwnerId owner, long nanos) {
        Entry entry = entries.get(owner);
        if (entry == null) {
            return false;
        }
        entry.endWith(threads.later(nanos, () -> timeIsOver(owner, entry)));
        return true;
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
        Set<Consumer<Ending>> told = watchers.remove(owner);
        if (told != null) {
            told.forEach(watcher -> watcher.accept(ending));
        }
    }

    void sessionLost(String session) {
        entries.forEach((owner, entry) -> {
            if (entry.grants.stream().anyMatch(grant -> Objects.equals(session, grant.session()))) {
                ended(owner, new Ending(false, LossReason.SESSION_LOST));
            }
        });
    }

    private void timeIsOver(OwnerId owner, Entry entry) {
        if (entries.get(owner) == entry) {
            ended(owner, new Ending(false, LossReason.EXPIRED));
            giveBack.accept(entry.grants);
        }
    }

    private void forget(OwnerId owner) {
        Entry entry = entries.remove(owner);
        if (entry != null) {
            entry.endWith(null);
            byScope.remove(entry.scope, owner);
        }
    }
}
