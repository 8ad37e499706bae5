package dev.holdfast.server.api;

import dev.holdfast.LockView;
import dev.holdfast.server.history.Holding.Ending;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * All locks at one moment, and how they differ from those at the look before. Each lock carries the number of the look in
 * which there was something new of it, so that whoever was told until some look finds what is newer.
 *
 * @param number counts the looks
 * @param seen by name, in order
 * @param fresh those of which there is something new in this look, other than that time has passed
 * @param gone the names that nobody uses any more since the look before
 * @param truncated whether there are more
 * @param atNanos when
 */
record Look(
        long number,
        NavigableMap<String, Seen> seen,
        NavigableMap<String, Seen> fresh,
        List<String> gone,
        boolean truncated,
        long atNanos) {

    private static final int MOST_INSPECTED = 100;
    private static final Duration TOLERANCE = Duration.ofMillis(250);

    /** With a longer pause between two looks a lease that had little left may as well have been released. */
    private static final Duration LONGEST_TO_TELL = Duration.ofSeconds(3);

    /**
     * A lock.
     *
     * @param view as it is
     * @param changedIn the number of the look that found the last change
     */
    record Seen(LockView view, long changedIn) {}

    /** A grant that was there at the look before and is not any more. */
    record Ended(String name, LockView.Holder holder, Ending how) {}

    /** {@return what there was before anybody looked} */
    static Look none() {
        return new Look(0, new TreeMap<>(), new TreeMap<>(), List.of(), false, 0);
    }

    /** {@return the look after this one} */
    Look next(List<LockView> listed, boolean more, long nanos) {
        Duration passed = Duration.ofNanos(Math.max(0, nanos - atNanos));
        NavigableMap<String, Seen> now = new TreeMap<>();
        NavigableMap<String, Seen> changed = new TreeMap<>();
        for (LockView view : listed) {
            Seen before = seen.get(view.name());
            long changedIn = before == null || differs(before.view, view, passed) ? number + 1 : before.changedIn;
            Seen it = new Seen(view, changedIn);
            now.put(view.name(), it);
            if (changedIn > number) {
                changed.put(view.name(), it);
            }
        }
        List<String> missing =
                seen.keySet().stream().filter(name -> !now.containsKey(name)).toList();
        return new Look(number + 1, now, changed, missing, more, nanos);
    }

    /** {@return whether the store showed this grant} */
    boolean holds(String name, long token) {
        Seen it = seen.get(name);
        return it != null && it.view.holders().stream().anyMatch(holder -> holder.token() == token);
    }

    private static boolean differs(LockView before, LockView now, Duration passed) {
        if (before.kind() != now.kind()
                || before.capacity() != now.capacity()
                || before.holders().size() != now.holders().size()
                || before.waiters().size() != now.waiters().size()
                || before.lastEviction().isPresent() != now.lastEviction().isPresent()) {
            return true;
        }
        for (int i = 0; i < now.holders().size(); i++) {
            LockView.Holder one = before.holders().get(i);
            LockView.Holder two = now.holders().get(i);
            Duration left = one.remaining().orElse(Duration.ZERO).minus(passed).plus(TOLERANCE);
            if (one.token() != two.token()
                    || two.remaining().orElse(Duration.ZERO).compareTo(left) > 0) {
                return true;
            }
        }
        for (int i = 0; i < now.waiters().size(); i++) {
            LockView.Waiter one = before.waiters().get(i);
            LockView.Waiter two = now.waiters().get(i);
            if (!one.clientName().equals(two.clientName())
                    || !one.label().equals(two.label())
                    || two.waitingFor().compareTo(one.waitingFor()) < 0) {
                return true;
            }
        }
        return false;
    }

    /**
     * Finds the grants that have ended since an earlier look.
     *
     * @param old the earlier look
     * @param known what this instance knows for certain of a name and a token
     * @param inspect looks at a name that nobody uses any more, because an eviction is still known of it
     * @return what has become of them
     */
    List<Ended> endedSince(
            Look old, BiFunction<String, Long, Optional<Ending>> known, Function<String, Optional<LockView>> inspect) {
        Duration passed = Duration.ofNanos(Math.max(0, atNanos - old.atNanos));
        List<Ended> ended = new ArrayList<>();
        int inspected = 0;
        for (Seen before : old.seen.values()) {
            String name = before.view.name();
            Seen now = seen.get(name);
            if (now == null ? truncated : now.changedIn == before.changedIn) {
                continue;
            }
            Optional<LockView> view = Optional.ofNullable(now).map(Seen::view);
            Set<Long> held = view.map(LockView::holders).orElse(List.of()).stream()
                    .map(LockView.Holder::token)
                    .collect(Collectors.toCollection(HashSet::new));
            for (LockView.Holder holder : before.view.holders()) {
                if (held.contains(holder.token())) {
                    continue;
                }
                Ending how = known.apply(name, holder.token()).orElse(null);
                if (how == null) {
                    boolean askable = view.isEmpty() && inspected < MOST_INSPECTED;
                    if (askable) {
                        inspected++;
                        view = inspect.apply(name);
                    }
                    how = conclude(holder, view.orElse(null), passed);
                }
                ended.add(new Ended(name, holder, how));
            }
        }
        return ended;
    }

    /** What two looks tell: an eviction, or a lease that was about to run out. */
    private static Ending conclude(LockView.Holder holder, @Nullable LockView now, Duration passed) {
        Optional<LockView.Eviction> eviction = Optional.ofNullable(now)
                .flatMap(LockView::lastEviction)
                .filter(last -> last.ago().compareTo(passed.plus(TOLERANCE)) < 0);
        if (eviction.isPresent()) {
            return new Ending(
                    "evicted", false, eviction.get().by(), eviction.get().reason());
        }
        Optional<Duration> remaining = holder.remaining();
        if (remaining.isEmpty()) {
            // It was released, or the session with the store has ended.
            return Ending.unseen();
        }
        if (remaining.get().compareTo(passed.plus(TOLERANCE)) >= 0) {
            return Ending.gone();
        }
        return passed.compareTo(LONGEST_TO_TELL) < 0 ? Ending.expired() : Ending.unseen();
    }
}
