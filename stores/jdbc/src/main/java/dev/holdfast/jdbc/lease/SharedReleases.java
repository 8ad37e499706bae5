package dev.holdfast.jdbc.lease;

import dev.holdfast.StoreUnavailableException;
import dev.holdfast.jdbc.dialect.CallBudget;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.ReleaseOutcome;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Has releases that come at the same time share a transaction when there are more of them than connections, as when a
 * client closes that holds many locks: over a slow network they would wait for each other for longer than a command
 * timeout. As long as there are connections for all, each is released by itself. Thread-safe.
 */
final class SharedReleases {
    /** How many rows one transaction locks. */
    static final int MOST_TOGETHER = 200;

    private final int mostAlone;
    private final CallBudget budget;
    private final Function<Grant, ReleaseOutcome> alone;
    private final Function<List<Grant>, List<ReleaseOutcome>> together;

    /** Those that wait for a transaction; guarded by this object's monitor, as is the count and every ticket. */
    private final Deque<Ticket> waiting = new ArrayDeque<>();

    private int underWay;

    /** A release that waits: then it leads a transaction for all that wait, or is answered by one. */
    private static final class Ticket {
        final Grant grant;
        boolean leads;

        @Nullable
        ReleaseOutcome outcome;

        Ticket(Grant grant) {
            this.grant = grant;
        }
    }

    SharedReleases(
            int mostAlone,
            CallBudget budget,
            Function<Grant, ReleaseOutcome> alone,
            Function<List<Grant>, List<ReleaseOutcome>> together) {
        this.mostAlone = mostAlone;
        this.budget = budget;
        this.alone = alone;
        this.together = together;
    }

    ReleaseOutcome release(Grant grant) {
        Ticket mine = enter(grant);
        if (mine == null) {
            try {
                return alone.apply(grant);
            } finally {
                leave();
            }
        }
        ReleaseOutcome outcome = await(mine);
        return outcome != null ? outcome : lead();
    }

    private synchronized @Nullable Ticket enter(Grant grant) {
        if (underWay < mostAlone) {
            underWay++;
            return null;
        }
        Ticket mine = new Ticket(grant);
        waiting.add(mine);
        return mine;
    }

    /** Makes room, which the first of those that wait takes for all of them. */
    private synchronized void leave() {
        underWay--;
        Ticket next = waiting.peek();
        if (next != null && !next.leads && underWay < mostAlone) {
            underWay++;
            next.leads = true;
            notifyAll();
        }
    }

    /** Waits to be answered or to lead; null if it is to lead. */
    private synchronized @Nullable ReleaseOutcome await(Ticket mine) {
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(budget.remainingMillis());
        boolean interrupted = Thread.interrupted();
        while (mine.outcome == null && !mine.leads && System.nanoTime() - until < 0) {
            try {
                TimeUnit.NANOSECONDS.timedWait(this, until - System.nanoTime());
            } catch (InterruptedException again) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (mine.outcome == null && !mine.leads) {
            waiting.remove(mine);
            return unanswered(mine);
        }
        return mine.outcome;
    }

    private ReleaseOutcome lead() {
        List<Ticket> all = take();
        List<ReleaseOutcome> outcomes = List.of();
        try {
            outcomes = together.apply(all.stream().map(ticket -> ticket.grant).toList());
        } finally {
            answer(all, outcomes);
            leave();
        }
        return outcomes.get(0);
    }

    /** The leader is the first of those that wait. */
    private synchronized List<Ticket> take() {
        List<Ticket> all = new ArrayList<>();
        while (all.size() < MOST_TOGETHER && !waiting.isEmpty()) {
            all.add(waiting.remove());
        }
        return all;
    }

    private synchronized void answer(List<Ticket> all, List<ReleaseOutcome> outcomes) {
        for (int i = 0; i < all.size(); i++) {
            Ticket ticket = all.get(i);
            ticket.outcome = outcomes.isEmpty() ? unanswered(ticket) : outcomes.get(i);
        }
        notifyAll();
    }

    private static ReleaseOutcome unanswered(Ticket ticket) {
        return new ReleaseOutcome.Unknown(new StoreUnavailableException("release", ticket.grant.name(), null));
    }
}
