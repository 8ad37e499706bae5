package dev.holdfast.server.history;

import dev.holdfast.LockView;
import dev.holdfast.spi.Grant;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BiPredicate;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What became of the locks in the last minutes, so that whoever opens the console in the night sees what happened before.
 * Grants, releases and losses that passed through this instance are told to it at once and are exact. Everything else is
 * what two looks at the store differ by. It is bounded, and says since when it is complete. Thread-safe.
 */
public final class History {
    /** How long something is remembered after its end. */
    public static final Duration REMEMBERED = Duration.ofMinutes(10);

    private static final int MOST_OF_A_NAME = 100;
    private static final int MOST_OF_ALL = 50_000;
    private static final int MOST_LOSSES = 500;

    private final LongSupplier clock;
    private final int mostOfAll;

    /** Guarded by this, like all that follows. The oldest comes first, also among those of one name. */
    private final Map<Key, Holding> all = new LinkedHashMap<>();

    private final Map<String, Page> pages = new HashMap<>();
    private final Deque<Holding> losses = new ArrayDeque<>();
    private long lossesInAll;
    private long completeSinceNanos;

    private record Key(String name, long token) {
        static Key of(Holding holding) {
            return new Key(holding.name(), holding.token());
        }
    }

    /** What is remembered of one name. */
    private static final class Page {
        private final Deque<Key> holdings = new ArrayDeque<>();
        private final Deque<Waiting> waiting = new ArrayDeque<>();

        /** Null if nothing of this name alone was forgotten. */
        private @Nullable Long completeSinceNanos;
    }

    /**
     * How many waited from a moment on.
     *
     * @param atNanos the moment
     * @param waiters how many
     */
    public record Waiting(long atNanos, int waiters) {}

    /**
     * The last minutes of a lock.
     *
     * @param sinceNanos from when on nothing was forgotten
     * @param holdings the grants, oldest first
     * @param waiting how many waited
     */
    public record Past(long sinceNanos, List<Holding> holdings, List<Waiting> waiting) {}

    /**
     * Begins.
     *
     * @param clock tells the time in nanoseconds
     */
    public History(LongSupplier clock) {
        this(clock, MOST_OF_ALL);
    }

    History(LongSupplier clock, int mostOfAll) {
        this.clock = clock;
        this.mostOfAll = mostOfAll;
        this.completeSinceNanos = clock.getAsLong();
    }

    /** This instance hands out a lease. */
    public synchronized void granted(String name, long token, String client, String label) {
        long now = clock.getAsLong();
        begin(new Holding(name, token, client, label, now, now, null));
    }

    private void begin(Holding holding) {
        Key key = Key.of(holding);
        if (all.putIfAbsent(key, holding) != null) {
            return;
        }
        Page page = pages.computeIfAbsent(holding.name(), made -> new Page());
        page.holdings.add(key);
        if (page.holdings.size() > MOST_OF_A_NAME) {
            page.completeSinceNanos = forget(page.holdings.element());
        }
        if (all.size() > mostOfAll) {
            completeSinceNanos =
                    Math.max(completeSinceNanos, forget(all.keySet().iterator().next()));
        }
    }

    /** {@return when what is forgotten ended; now, if it is still held} */
    private long forget(Key key) {
        Holding holding = all.remove(key);
        Page page = pages.get(key.name);
        if (page != null) {
            page.holdings.remove(key);
            if (page.holdings.isEmpty()) {
                pages.remove(key.name);
            }
        }
        return holding == null || holding.ending() == null ? clock.getAsLong() : holding.toNanos();
    }

    /** A grant has ended. What is exact stays; what was concluded gives way to it. */
    public synchronized void ended(String name, long token, Holding.Ending how) {
        end(new Key(name, token), how);
    }

    /** A lease has ended. */
    public synchronized void ended(List<Grant> grants, Holding.Ending how) {
        grants.forEach(grant -> ended(grant.name(), Grant.token(grant.epoch(), 0), how));
    }

    private void end(Key key, Holding.Ending how) {
        Holding holding = all.get(key);
        if (holding == null) {
            return;
        }
        Holding.Ending before = holding.ending();
        if (before != null && (before.exact() || (!how.exact() && !before.isUnseen()))) {
            return;
        }
        Holding ended = holding.ended(before == null ? clock.getAsLong() : holding.toNanos(), how);
        all.put(key, ended);
        if (how.isLoss() && (before == null || !before.isLoss())) {
            lossesInAll++;
            losses.add(ended);
            if (losses.size() > MOST_LOSSES) {
                losses.remove();
            }
        }
    }

    /**
     * A client of this instance took locks away.
     *
     * @param name the lock
     * @param epoch of the grant; empty for all of them
     * @param beforeNanos when it was asked for: whoever has the lock from then on was not meant
     * @param how with who and why
     */
    public synchronized void evicted(String name, OptionalLong epoch, long beforeNanos, Holding.Ending how) {
        Page page = pages.get(name);
        if (page == null) {
            return;
        }
        for (Key key : List.copyOf(page.holdings)) {
            Holding holding = all.get(key);
            boolean meant = epoch.isEmpty() || Grant.epochOf(key.token) == epoch.getAsLong();
            if (meant && holding != null && holding.fromNanos() - beforeNanos < 0) {
                end(key, how);
            }
        }
    }

    /**
     * The store was looked at.
     *
     * @param view a lock
     * @param atNanos when
     * @param shown a client's name as people should see it
     */
    public synchronized void saw(LockView view, long atNanos, UnaryOperator<String> shown) {
        for (LockView.Holder holder : view.holders()) {
            begin(new Holding(
                    view.name(),
                    holder.token(),
                    shown.apply(holder.clientName()),
                    holder.label(),
                    atNanos - holder.heldFor().toNanos(),
                    atNanos,
                    null));
        }
        countWaiters(view.name(), atNanos, view.waiters().size());
    }

    /**
     * Ends what the store does not show any more, such as a short lease that no look has seen.
     *
     * @param isHeld whether the store shows a grant
     * @param atNanos when it was asked: what began later is none of this
     */
    public synchronized void endMissing(BiPredicate<String, Long> isHeld, long atNanos) {
        List<Key> missing = all.values().stream()
                .filter(each -> each.ending() == null && each.fromNanos() - atNanos < 0)
                .map(Key::of)
                .filter(key -> !isHeld.test(key.name, key.token))
                .toList();
        missing.forEach(key -> end(key, Holding.Ending.unseen()));
    }

    /** {@return how a grant ended, if this instance knows for certain} */
    public synchronized Optional<Holding.Ending> exactEnding(String name, long token) {
        Holding holding = all.get(new Key(name, token));
        Holding.Ending ending = holding == null ? null : holding.ending();
        return ending == null || !ending.exact() ? Optional.empty() : Optional.of(ending);
    }

    /** Nobody uses a name any more. */
    public synchronized void nobodyWaits(String name, long atNanos) {
        countWaiters(name, atNanos, 0);
    }

    private void countWaiters(String name, long atNanos, int waiters) {
        Page page = pages.get(name);
        if (page == null) {
            return;
        }
        Waiting last = page.waiting.peekLast();
        if (last == null ? waiters > 0 : last.waiters != waiters) {
            page.waiting.add(new Waiting(atNanos, waiters));
            if (page.waiting.size() > MOST_OF_A_NAME) {
                page.waiting.remove();
            }
        }
    }

    /** {@return what is remembered of a name} */
    public synchronized Past of(String name) {
        long oldest = clock.getAsLong() - REMEMBERED.toNanos();
        long since = later(completeSinceNanos, oldest);
        Page page = pages.get(name);
        if (page == null) {
            return new Past(since, List.of(), List.of());
        }
        List<Holding> holdings = new ArrayList<>();
        for (Key key : page.holdings) {
            Holding holding = all.get(key);
            if (holding != null && !isOld(holding, oldest)) {
                holdings.add(holding);
            }
        }
        Long ofPage = page.completeSinceNanos;
        return new Past(ofPage == null ? since : later(since, ofPage), holdings, List.copyOf(page.waiting));
    }

    private static long later(long one, long other) {
        return one - other > 0 ? one : other;
    }

    private static boolean isOld(Holding holding, long oldest) {
        return holding.ending() != null && holding.toNanos() - oldest < 0;
    }

    /** Forgets what ended long ago; called now and then. */
    public synchronized void tidy() {
        long oldest = clock.getAsLong() - REMEMBERED.toNanos();
        List<Key> old = all.values().stream()
                .filter(holding -> isOld(holding, oldest))
                .map(Key::of)
                .toList();
        old.forEach(this::forget);
    }

    /** {@return how many leases were lost since the begin} */
    public synchronized long lossCount() {
        return lossesInAll;
    }

    /**
     * Tells of losses.
     *
     * @param from the first that is wanted, counted from the begin
     * @param to the first that is not
     * @return those that are remembered of them, oldest first
     */
    public synchronized List<Holding> losses(long from, long to) {
        long first = lossesInAll - losses.size();
        return losses.stream()
                .skip(Math.max(0, from - first))
                .limit(Math.max(0, to - Math.max(first, from)))
                .toList();
    }
}
