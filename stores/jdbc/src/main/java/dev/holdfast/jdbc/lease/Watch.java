package dev.holdfast.jdbc.lease;

import dev.holdfast.HoldfastException;
import dev.holdfast.LossReason;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.RenewOutcome;
import dev.holdfast.spi.StoreContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Finds out what happens to the claims of this client without being told: one adaptive poller for all of them, with one
 * statement for all that wait and one for all that are held. It only looks; what there is to do, the engine is told and
 * does, because it alone knows which claims are still wanted. While notifications arrive, it looks twice a second at those
 * who wait and rests otherwise. Thread-safe.
 *
 * <p>A waiter is looked for after a part of the time that it has waited, so that the delay of a hand-over is small against
 * the wait: who is the next to have the lock, after a thirty-second of the time since it is, from 1 ms on; who stands
 * behind it, after an eighth, from 2 ms on; who shares, or waits for several names of which not all are held, after a
 * sixteenth; and everybody after 100 ms. A holder is looked at from 200 ms on, at most once a second, so that short holds
 * cost nothing.
 */
final class Watch {
    private static final long SHORTEST_WAIT_NANOS = 2_000_000;
    private static final long SHORTEST_WAIT_OF_THE_NEXT_NANOS = 1_000_000;
    private static final long LONGEST_WAIT_NANOS = 100_000_000;
    private static final int WAIT_DIVISOR = 16;
    private static final int WAIT_DIVISOR_OF_THE_NEXT = 32;
    private static final int WAIT_DIVISOR_BEHIND = 8;

    /** While notifications arrive: one may still get lost, and a holder whose lease runs out sends none. */
    private static final long RESTING_WAIT_NANOS = 500_000_000;

    private static final long FIRST_LOOK_NANOS = 200_000_000;
    private static final long LONGEST_LOOK_NANOS = 1_000_000_000;

    /** A waiting claim that the engine has not asked for in this time is one that it has given up. */
    private static final long FORGET_NANOS = Duration.ofSeconds(30).toNanos();

    private final LeaseStore store;
    private final StoreContext context;
    private final Map<OwnerId, Waiting> waiting = new ConcurrentHashMap<>();
    private final Map<OwnerId, Holding> held = new ConcurrentHashMap<>();

    /** Guards the fields below; nothing blocks inside. */
    private final Object schedule = new Object();

    private long dueNanos = Long.MAX_VALUE;
    private @Nullable Runnable cancel;
    private boolean closed;
    private boolean begun;

    /** Set once; null where nothing can be heard. */
    private volatile @Nullable Listening listening;

    /** Before this, those who hold are left alone, however often those who wait are looked for. */
    private volatile long heldDueNanos;

    /** A claim that waits: since when, when the engine asked for it last, its place in line, and since when it has that. */
    private record Waiting(Claim claim, long sinceNanos, long askedNanos, Polls.Place place, long inPlaceNanos) {
        long nextLook(long now, boolean hears) {
            return now + (hears ? RESTING_WAIT_NANOS : Math.min(LONGEST_WAIT_NANOS, pause(now)));
        }

        private long pause(long now) {
            return switch (place) {
                case NEXT -> Math.max(SHORTEST_WAIT_OF_THE_NEXT_NANOS, (now - inPlaceNanos) / WAIT_DIVISOR_OF_THE_NEXT);
                case BEHIND -> Math.max(SHORTEST_WAIT_NANOS, (now - sinceNanos) / WAIT_DIVISOR_BEHIND);
                case UNKNOWN -> Math.max(SHORTEST_WAIT_NANOS, (now - sinceNanos) / WAIT_DIVISOR);
            };
        }

        Waiting asked(Claim same, long now) {
            return new Waiting(same, sinceNanos, now, place, inPlaceNanos);
        }

        Waiting seen(Polls.Place at, long now) {
            return at == place ? this : new Waiting(claim, sinceNanos, askedNanos, at, now);
        }
    }

    /** A claim that holds: whether it holds all units of all its names, since when, and until when at least. */
    private record Holding(Claim claim, List<Grant> grants, boolean all, long sinceNanos, long untilNanos) {
        long nextLook(long now, boolean hears) {
            long pause = Math.max(FIRST_LOOK_NANOS, Math.min(LONGEST_LOOK_NANOS, now - sinceNanos));
            return hears ? Long.MAX_VALUE : now + pause;
        }
    }

    Watch(LeaseStore store, StoreContext context) {
        this.store = store;
        this.context = context;
    }

    /** Called once, when the database has answered for the first time. */
    void begin(boolean listen) {
        synchronized (schedule) {
            if (closed || begun) {
                return;
            }
            begun = true;
            if (listen) {
                listening = new Listening(store, context, this);
            }
        }
    }

    void waitsFor(Claim claim) {
        long now = context.clock().nanos();
        Waiting mine = waiting.compute(
                claim.owner(),
                (owner, known) -> known == null
                        ? new Waiting(claim, now, now, Polls.Place.UNKNOWN, now)
                        : known.asked(claim, now));
        held.remove(claim.owner());
        startListening();
        lookBy(now, mine.nextLook(now, hears()));
    }

    void holds(Claim claim, List<Grant> grants) {
        long now = context.clock().nanos();
        boolean all = claim.parts().stream().allMatch(Claim.Part::exclusive);
        Holding mine = new Holding(claim, grants, all, now, now + claim.lease().toNanos());
        waiting.remove(claim.owner());
        held.put(claim.owner(), mine);
        startListening();
        lookBy(now, mine.nextLook(now, hears()));
    }

    void renewed(OwnerId owner) {
        long now = context.clock().nanos();
        held.computeIfPresent(
                owner,
                (same, known) -> new Holding(
                        known.claim,
                        known.grants,
                        known.all,
                        known.sinceNanos,
                        now + known.claim.lease().toNanos()));
    }

    void forget(OwnerId owner) {
        waiting.remove(owner);
        held.remove(owner);
    }

    /** Whether an owner is known to hold whole names, whose grants stand in the lock rows. */
    boolean holdsAll(OwnerId owner) {
        Holding known = held.get(owner);
        return known != null && known.all;
    }

    /** Takes a notice that is meant for this client. */
    void hear(Notice notice) {
        switch (notice.kind()) {
            case WANTED -> {
                store.contested().add(notice.name());
                context.listener().wanted(notice.name(), notice.epoch());
            }
            case GRANTED -> granted(notice, Objects.requireNonNull(notice.terms()));
            case EVICTED -> {
                forget(notice.owner());
                context.listener().lost(notice.name(), notice.owner(), notice.epoch(), LossReason.EVICTED);
            }
            case ASK -> {
                Waiting known = waiting.get(notice.owner());
                if (known == null) {
                    context.listener().retry(notice.name(), notice.owner());
                } else {
                    inBackground(() -> lookFor(List.of(known.claim)));
                }
            }
        }
    }

    /** Passes on a grant that was told of by whoever handed it over, so that nobody has to ask. */
    private void granted(Notice notice, Notice.Terms terms) {
        Waiting known = waiting.remove(notice.owner());
        if (known == null) {
            context.listener().retry(notice.name(), notice.owner());
            return;
        }
        List<Grant> grants =
                List.of(Grants.of(known.claim, notice.name(), notice.epoch(), terms.validMicros(), terms.wanted()));
        holds(known.claim, grants);
        context.listener().granted(grants, store.serverTime().notLaterThan(terms.place(), terms.serverMicros()));
    }

    private void inBackground(Runnable task) {
        try {
            context.ioExecutor().execute(task);
        } catch (RejectedExecutionException closing) {
            // The client is closed and waits for nothing any more.
        }
    }

    /** Looks at everything, because notices may have been missed. */
    void catchUp() {
        lookAtWaiting();
        lookAtHeld();
    }

    void close() {
        Listening ears;
        synchronized (schedule) {
            closed = true;
            ears = listening;
            if (cancel != null) {
                cancel.run();
            }
        }
        if (ears != null) {
            ears.close();
        }
    }

    private boolean hears() {
        Listening ears = listening;
        return ears != null && ears.isOn();
    }

    private void startListening() {
        Listening ears = listening;
        if (ears != null) {
            ears.start();
        }
    }

    /** Makes sure that everybody's next look comes in time. */
    void arrange() {
        long now = context.clock().nanos();
        boolean hears = hears();
        long next = Long.MAX_VALUE;
        for (Waiting each : waiting.values()) {
            next = Math.min(next, each.nextLook(now, hears));
        }
        for (Holding each : held.values()) {
            next = Math.min(next, each.nextLook(now, hears));
        }
        lookBy(now, next);
    }

    /** Makes sure that there is a look by then; keeps the one that is scheduled if that is early enough. */
    private void lookBy(long now, long next) {
        synchronized (schedule) {
            if (closed || next >= dueNanos) {
                return;
            }
            if (cancel != null) {
                cancel.run();
            }
            dueNanos = next;
            cancel = context.scheduler().schedule(Duration.ofNanos(Math.max(0, next - now)), this::tick);
        }
    }

    private void tick() {
        try {
            long now = context.clock().nanos();
            waiting.values().removeIf(each -> now - each.askedNanos > FORGET_NANOS);
            held.values().removeIf(each -> now > each.untilNanos);
            lookAtWaiting();
            boolean due = now >= heldDueNanos
                    && held.values().stream().anyMatch(each -> now - each.sinceNanos >= FIRST_LOOK_NANOS);
            if (due && !hears()) {
                lookAtHeld();
                heldDueNanos = now
                        + held.values().stream()
                                .mapToLong(each -> each.nextLook(now, false) - now)
                                .min()
                                .orElse(0);
            }
        } finally {
            synchronized (schedule) {
                dueNanos = Long.MAX_VALUE;
                cancel = null;
            }
            arrange();
        }
    }

    private void lookAtWaiting() {
        lookFor(waiting.values().stream().map(Waiting::claim).toList());
    }

    private void lookFor(List<Claim> claims) {
        if (claims.isEmpty()) {
            return;
        }
        List<Polls.Seen> seen;
        try {
            seen = store.look(claims);
        } catch (HoldfastException unanswered) {
            // The engine asks for its claims anyway and reports what it hears; this was only to be faster.
            return;
        }
        long now = context.clock().nanos();
        for (int i = 0; i < claims.size(); i++) {
            Claim claim = claims.get(i);
            Polls.Place place = seen.get(i).place();
            waiting.computeIfPresent(claim.owner(), (owner, known) -> known.seen(place, now));
            @Nullable AcquireOutcome outcome = seen.get(i).outcome();
            if (outcome instanceof AcquireOutcome.Granted granted) {
                if (waiting.remove(claim.owner()) != null) {
                    store.contested().noteWanted(granted.grants());
                    holds(claim, granted.grants());
                    context.listener().granted(granted.grants(), seen.get(i).sentNanos());
                }
            } else if (outcome == null && waiting.containsKey(claim.owner())) {
                context.listener().retry(claim.parts().get(0).name(), claim.owner());
            }
        }
    }

    private void lookAtHeld() {
        List<Grant> grants = new ArrayList<>();
        held.values().forEach(each -> grants.addAll(each.grants));
        if (grants.isEmpty()) {
            return;
        }
        List<RenewOutcome> outcomes;
        try {
            outcomes = store.lookAtHeld(grants);
        } catch (HoldfastException unanswered) {
            // The next renewal tells the same.
            return;
        }
        for (int i = 0; i < grants.size(); i++) {
            tell(grants.get(i), outcomes.get(i));
        }
    }

    /** Tells the engine that a grant is wanted or was taken away. */
    private void tell(Grant grant, RenewOutcome outcome) {
        if (outcome instanceof RenewOutcome.Renewed still && still.wanted()) {
            store.contested().add(grant.name());
            context.listener().wanted(grant.name(), grant.epoch());
        } else if (outcome instanceof RenewOutcome.Lost lost && lost.reason() == LossReason.EVICTED) {
            context.listener().lost(grant.name(), grant.owner(), grant.epoch(), lost.reason());
        }
    }
}
