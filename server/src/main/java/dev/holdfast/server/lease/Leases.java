package dev.holdfast.server.lease;

import dev.holdfast.LossReason;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.server.history.History;
import dev.holdfast.server.history.Holding;
import dev.holdfast.server.wire.Problem;
import dev.holdfast.server.wire.Problem.Code;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.ReleaseOutcome;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/** Leases that clients on the other side of the wire have: renews them, gives them back, tells of their end. Thread-safe. */
public final class Leases {
    private final StoreLink link;
    private final Secret secret;
    private final long instance;
    private final Leftovers leftovers;
    private final Kept kept;
    private final History history;

    /**
     * Sets up.
     *
     * @param link the store
     * @param threads the threads that call it
     * @param secret what all instances share
     * @param history is told how leases end
     */
    public Leases(StoreLink link, StoreThreads threads, Secret secret, History history) {
        this.link = link;
        this.secret = secret;
        this.instance = link.hasSessions() ? new SecureRandom().nextLong() | 1 : 0;
        this.leftovers = new Leftovers(link, threads);
        this.history = history;
        this.kept = new Kept(threads, leftovers, history);
    }

    /** {@return what tells this instance from others where the store has sessions; otherwise 0} */
    long instance() {
        return instance;
    }

    Leftovers leftovers() {
        return leftovers;
    }

    Kept kept() {
        return kept;
    }

    /** {@return how many leases this instance has to keep itself, because the store has sessions} */
    public int keptCount() {
        return kept.count();
    }

    /**
     * Reads a lease id.
     *
     * @param text as it was sent
     * @param principal who asks
     * @return the id
     * @throws Problem if it is not one, or another's
     */
    public LeaseId read(String text, String principal) {
        LeaseId id = secret.read(text);
        if (id.principal() != secret.digest(principal)) {
            throw new Problem(Code.FORBIDDEN, "this lease belongs to another client");
        }
        if (id.instance() != instance) {
            throw Refusals.elsewhere();
        }
        return id;
    }

    /**
     * Renews a lease; on a thread that may block.
     *
     * @param id the lease
     * @param lease for how long, from now on
     * @return the lease
     * @throws Problem if it is lost, or nobody can tell
     */
    public HeldLease renew(LeaseId id, Duration lease) {
        List<Grant> grants = Renewal.lasting(grants(id), lease);
        Renewal renewal = Renewal.of(link, grants, lease);
        if (renewal instanceof Renewal.Lost lost) {
            kept.ended(id.owner(), new Kept.Ending(false, lost.reason()));
            if (grants.size() > 1) {
                leftovers.release(grants);
            }
            throw Refusals.lost(lost.reason());
        }
        if (renewal instanceof Renewal.Unknown unknown) {
            throw Refusals.cannotTell(unknown.cause());
        }
        Renewal.Renewed renewed = (Renewal.Renewed) renewal;
        if (link.hasSessions() && !kept.extend(id.owner(), renewed.sentNanos() + lease.toNanos() - link.now())) {
            // Its time was over in this very moment, and it is being given back.
            throw Refusals.lost(LossReason.EXPIRED);
        }
        LeaseId lasting = id.lasting(lease);
        return new HeldLease(lasting, secret.sign(lasting), renewed.untilNanos(), false);
    }

    /**
     * Gives a lease back; on a thread that may block.
     *
     * @param id the lease
     * @throws Problem if it is lost, or nobody can tell
     */
    public void release(LeaseId id) {
        List<Grant> grants = grants(id);
        List<ReleaseOutcome> outcomes;
        try {
            outcomes = link.store().release(grants);
        } catch (StoreUnavailableException unanswered) {
            leftovers.release(grants);
            throw Refusals.cannotTell(unanswered);
        }
        for (ReleaseOutcome outcome : outcomes) {
            if (outcome instanceof ReleaseOutcome.Unknown unknown) {
                leftovers.release(grants);
                throw Refusals.cannotTell(unknown.cause());
            }
        }
        kept.ended(id.owner(), new Kept.Ending(true, null));
        if (outcomes.contains(ReleaseOutcome.NOT_HELD)) {
            throw new Problem(
                    Code.LEASE_LOST,
                    "the lease was not held any more: it was lost before, or an earlier request has released it");
        }
        history.ended(grants, Holding.Ending.released());
    }

    /**
     * Gives a lease back for a client that does not wait for an answer, until the store has answered.
     *
     * @param id the lease
     */
    public void releaseForGood(LeaseId id) {
        List<Grant> grants = link.hasSessions()
                ? kept.grants(id.owner()).filter(held -> isOf(id, held)).orElse(List.of())
                : id.grants(id.lease());
        kept.ended(id.owner(), new Kept.Ending(true, null));
        if (!grants.isEmpty()) {
            history.ended(grants, Holding.Ending.released());
            leftovers.release(grants);
        }
    }

    /**
     * Listens to the end of a lease, as far as this instance hears of it.
     *
     * @param id the lease
     * @param whenLost told why
     * @param whenReleased told that a client gave it back
     * @return to be run to stop that
     */
    public Runnable watch(LeaseId id, Consumer<LossReason> whenLost, Runnable whenReleased) {
        return kept.watch(id.owner(), ending -> {
            LossReason reason = ending.reason();
            if (ending.released() || reason == null) {
                whenReleased.run();
            } else {
                whenLost.accept(reason);
            }
        });
    }

    private List<Grant> grants(LeaseId id) {
        if (!link.hasSessions()) {
            return id.grants(id.lease());
        }
        return kept.grants(id.owner())
                .filter(grants -> isOf(id, grants))
                .orElseThrow(() -> Refusals.lost(LossReason.EXPIRED));
    }

    /** The key of a request may have been used again, so that its owner holds a later grant. */
    private static boolean isOf(LeaseId id, List<Grant> grants) {
        return grants.stream().allMatch(grant -> {
            int at = id.names().indexOf(grant.name());
            return at >= 0 && grant.epoch() == id.epochs().get(at);
        });
    }

    /**
     * Names a reason as the API does.
     *
     * @param reason why a lease was lost
     * @return such as {@code session-lost}
     */
    public static String word(LossReason reason) {
        return reason.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
