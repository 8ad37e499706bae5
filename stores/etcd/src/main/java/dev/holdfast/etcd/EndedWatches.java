package dev.holdfast.etcd;

import dev.holdfast.spi.StoreContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Has places watched again whose watches have ended: those that wait before those that hold, some at a time, and after longer
 * and longer pauses while no watch can be made. Thread-safe: guarded by its own monitor, inside of which nothing is called.
 */
final class EndedWatches {
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

    /** To sign in costs the server much more than to be asked. */
    private static final Duration LONGEST_WHEN_REFUSED = Duration.ofSeconds(5);

    private static final Duration BETWEEN_GROUPS = Duration.ofMillis(50);
    private static final int MOST_DOUBLINGS = 6;

    private final StoreContext context;
    private final Consumer<WatchStream.Refused> signIn;
    private final Consumer<List<Place>> resume;
    private final Set<Place> ended = new LinkedHashSet<>();
    private WatchStream.@Nullable Refused refused;
    private boolean scheduled;

    /** Some were to be watched, and since then no watch began. */
    private boolean tried;

    /** How often watches ended before one began. */
    private int failures;

    /**
     * Nobody has to be watched yet.
     *
     * @param signIn is called before watches are made again that were refused; may block
     * @param resume watches places again; their lines can be read in one request
     */
    EndedWatches(StoreContext context, Consumer<WatchStream.Refused> signIn, Consumer<List<Place>> resume) {
        this.context = context;
        this.signIn = signIn;
        this.resume = resume;
    }

    /** A watch began. */
    synchronized void forget() {
        tried = false;
        failures = 0;
    }

    void add(List<Place> places, WatchStream.@Nullable Refused why) {
        Duration pause;
        synchronized (this) {
            ended.addAll(places);
            if (tried) {
                failures = Math.min(failures + 1, MOST_DOUBLINGS);
                tried = false;
            }
            if (why != null) {
                refused = why;
            }
            if (scheduled) {
                return;
            }
            scheduled = true;
            pause = pause();
        }
        context.scheduler().schedule(pause, this::run);
    }

    private synchronized Duration pause() {
        Duration longest = refused == null ? LONGEST_PAUSE : LONGEST_WHEN_REFUSED;
        Duration pause = FIRST_PAUSE.multipliedBy(1L << failures);
        return pause.compareTo(longest) < 0 ? pause : longest;
    }

    private void run() {
        WatchStream.Refused why;
        List<Place> some;
        synchronized (this) {
            why = refused;
            refused = null;
            some = take();
            tried = true;
        }
        try {
            if (why != null) {
                signInAfter(why);
            }
            resume.accept(some);
        } finally {
            Duration next = null;
            synchronized (this) {
                scheduled = !ended.isEmpty();
                if (scheduled) {
                    next = failures == 0 ? BETWEEN_GROUPS : pause();
                }
            }
            if (next != null) {
                context.scheduler().schedule(next, this::run);
            }
        }
    }

    private void signInAfter(WatchStream.Refused why) {
        try {
            signIn.accept(why);
        } catch (RuntimeException unanswered) {
            // Then the next watch is refused again.
            return;
        }
    }

    private List<Place> take() {
        List<Place> some = new ArrayList<>();
        ended.removeIf(place -> place.state() == Place.State.ENDED);
        int names = take(some, 0, false);
        take(some, names, true);
        return some;
    }

    private int take(List<Place> some, int before, boolean held) {
        int names = before;
        for (Iterator<Place> left = ended.iterator(); left.hasNext(); ) {
            Place place = left.next();
            int more = place.names().size();
            if ((place.state() == Place.State.HELD) == held && names + more <= Transactions.MOST_LINES) {
                names += more;
                some.add(place);
                left.remove();
            }
        }
        return names;
    }
}
