package dev.holdfast.server.lease;

import dev.holdfast.server.history.History;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Makes leases of grants that are handed out, and finds those that an earlier request was given. Thread-safe. */
final class Handout {
    private static final long CLOCK_STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final int MOST_REMEMBERED = 10_000;

    private final StoreLink link;
    private final Secret secret;
    private final long instance;
    private final Kept kept;
    private final Leftovers leftovers;
    private final Repetitions repetitions;
    private final History history;

    /** The newest grants that were handed out here, to tell repeated requests; a set in a map. */
    private final Map<Grant, Boolean> toldOf = Collections.synchronizedMap(new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Grant, Boolean> eldest) {
            return size() > MOST_REMEMBERED;
        }
    });

    Handout(StoreLink link, Secret secret, Leases leases, Repetitions repetitions, History history) {
        this.link = link;
        this.secret = secret;
        this.instance = leases.instance();
        this.kept = leases.kept();
        this.leftovers = leases.leftovers();
        this.repetitions = repetitions;
        this.history = history;
    }

    /** {@return a lease that is about to be handed out; null if these grants are being given back} */
    @Nullable
    HeldLease lease(Ask ask, String scope, List<Grant> grants, long validUntilNanos, boolean repeated) {
        if (link.hasSessions() ? !kept.keep(grants, scope, ask.lease().toNanos()) : leftovers.isLeaving(grants)) {
            return null;
        }
        toldOf.put(memento(grants.get(0)), true);
        grants.forEach(
                grant -> history.granted(grant.name(), Grant.token(grant.epoch(), 0), ask.shownAs(), ask.label()));
        // The name in the request's path comes first: its token is "the" token.
        List<Grant> ordered = new ArrayList<>(grants);
        ordered.sort(Comparator.comparing(grant -> !grant.name().equals(ask.name())));
        LeaseId id = new LeaseId(
                instance,
                grants.get(0).owner(),
                ask.kind(),
                ask.units(),
                ask.capacity(),
                ask.lease(),
                secret.digest(ask.principal()),
                ask.key(),
                ordered.stream().map(Grant::name).toList(),
                ordered.stream().map(Grant::epoch).toList());
        return new HeldLease(id, secret.sign(id), validUntilNanos, repeated);
    }

    /** {@return whether an earlier request may have been told of a grant} */
    boolean wasToldBefore(List<Grant> grants, @Nullable Duration left, Duration lease) {
        return toldOf.containsKey(memento(grants.get(0)))
                || (left != null && left.plusNanos(CLOCK_STEP_NANOS).compareTo(lease) < 0);
    }

    private static Grant memento(Grant grant) {
        return new Grant(grant.name(), grant.owner(), grant.epoch(), Duration.ZERO, null, null, false);
    }

    /** Finds the lease of an earlier request with the same key that waited, and renews it; on a thread that may block. */
    Optional<HeldLease> findRepetition(Ask ask, String scope, boolean again) {
        if (!ask.keyGiven()) {
            return Optional.empty();
        }
        Optional<List<Grant>> found = link.hasSessions()
                ? kept.ownerOf(scope).flatMap(kept::grants)
                : repetitions.find(ask, scope, again).map(Repetitions.Found::grants);
        if (found.isEmpty()) {
            return Optional.empty();
        }
        List<Grant> grants = Renewal.lasting(found.get(), ask.lease());
        return Renewal.of(link, grants, ask.lease()) instanceof Renewal.Renewed renewed
                ? Optional.ofNullable(lease(ask, scope, grants, renewed.untilNanos(), true))
                : Optional.empty();
    }

    /** {@return whether this very key has the lease in the session of another instance, which nobody here can use} */
    boolean isElsewhere(Ask ask, String scope, Predicate<String> isOurs) {
        return link.hasSessions() && repetitions.isHeld(ask, scope, isOurs);
    }

    /** Ends what was granted to a client that was never told of it and cannot ask again. */
    void takeBack(Claim claim) {
        kept.ended(claim.owner(), new Kept.Ending(true, null));
        leftovers.withdraw(claim, true);
    }
}
