package dev.holdfast.redis.lock;

import dev.holdfast.StoreUnavailableException;
import dev.holdfast.redis.topology.CallRouter;
import dev.holdfast.redis.wire.Answers;
import dev.holdfast.redis.wire.Call;
import dev.holdfast.redis.wire.Deadline;
import dev.holdfast.redis.wire.Faults;
import dev.holdfast.redis.wire.Keys;
import dev.holdfast.redis.wire.Records;
import dev.holdfast.redis.wire.Replicas;
import dev.holdfast.redis.wire.Script;
import dev.holdfast.redis.wire.Settings;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.StoreContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Asks for claims, and ends them. A claim over several names is one step, except in a cluster. Thread-safe. */
final class Claims {
    private static final byte[] TOMBSTONE = {'1'};
    private static final byte[] NO_TOMBSTONE = {'0'};

    /** When one server has answered a poll, others have this part of the timeout to do the same. */
    private static final int MOMENTS = 8;

    private final StoreContext context;
    private final Keys keys;
    private final Records records;
    private final CallRouter router;
    private final Inbox inbox;
    private final NameByName nameByName;
    private final @Nullable Replicas replicas;
    private final boolean cluster;
    private final int mode;
    private final Duration moment;

    Claims(StoreContext context, Settings settings, Keys keys, Records records, CallRouter router, Inbox inbox) {
        this.context = context;
        this.keys = keys;
        this.records = records;
        this.router = router;
        this.inbox = inbox;
        this.replicas = settings.replicas();
        this.cluster = router.deployment().isCluster();
        this.mode = replicas == null ? 0 : Records.TOUCH;
        this.moment = settings.timeout().dividedBy(MOMENTS);
        this.nameByName = new NameByName(this);
    }

    AcquireOutcome acquire(Claim claim, Deadline deadline) {
        if (claim.queue()) {
            inbox.enter(claim);
        }
        AcquireOutcome outcome;
        if (isNameByName(claim)) {
            outcome = nameByName.acquire(claim, deadline);
        } else {
            long sentNanos = context.clock().nanos();
            Call call = whole(claim);
            router.deliver(call, replicas, deadline);
            outcome = outcome(claim, claim.parts(), call, sentNanos, deadline);
        }
        if (claim.queue() && !(outcome instanceof AcquireOutcome.Contended)) {
            inbox.leave(claim);
        }
        return outcome;
    }

    List<AcquireOutcome> poll(List<Claim> claims) {
        List<Call> calls = new ArrayList<>(claims.size());
        for (Claim claim : claims) {
            inbox.enter(claim);
            if (!isNameByName(claim)) {
                calls.add(whole(claim));
            }
        }
        long sentNanos = context.clock().nanos();
        Deadline deadline = router.newDeadline();
        Set<Call> leftBehind = deliverPromptly(calls, deadline);
        List<AcquireOutcome> outcomes = new ArrayList<>(claims.size());
        boolean someAreSilent = !leftBehind.isEmpty();
        int next = 0;
        for (Claim claim : claims) {
            AcquireOutcome outcome;
            try {
                if (isNameByName(claim)) {
                    Duration moments = moment.multipliedBy(claim.parts().size());
                    outcome = nameByName.acquire(claim, someAreSilent ? deadline.atMost(moments) : deadline);
                } else {
                    outcome = outcome(claim, calls.get(next++), leftBehind, sentNanos, deadline);
                }
                if (!(outcome instanceof AcquireOutcome.Contended)) {
                    inbox.leave(claim);
                }
            } catch (RuntimeException unanswered) {
                someAreSilent |= unanswered instanceof StoreUnavailableException;
                outcome = new AcquireOutcome.Unknown(unanswered);
            }
            outcomes.add(outcome);
        }
        throwIfNothingIsKnown(outcomes);
        return outcomes;
    }

    /** One silent server of several must not hold up what others say: those it is to be asked about are asked for again. */
    private Set<Call> deliverPromptly(List<Call> calls, Deadline deadline) {
        if (calls.size() < 2 || !cluster) {
            router.deliver(calls, replicas, deadline);
            return Set.of();
        }
        return router.deliverPromptly(calls, replicas, deadline, moment);
    }

    private AcquireOutcome outcome(Claim claim, Call call, Set<Call> leftBehind, long sentNanos, Deadline deadline) {
        if (leftBehind.contains(call)) {
            throw Faults.of("acquire", claim.describe(), CallRouter.noAnswerYet());
        }
        return outcome(claim, claim.parts(), call, sentNanos, deadline);
    }

    /** What nobody knows of one claim is no reason not to tell what is known of the others. */
    private static void throwIfNothingIsKnown(List<AcquireOutcome> outcomes) {
        RuntimeException failure = null;
        for (AcquireOutcome outcome : outcomes) {
            if (!(outcome instanceof AcquireOutcome.Unknown unknown)) {
                return;
            }
            failure = unknown.cause();
            if (outcomes.size() > 1 && !(failure instanceof StoreUnavailableException)) {
                // That is about one claim, not about the others.
                return;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    void withdraw(Claim claim, boolean mayStillArrive) {
        inbox.leave(claim);
        nameByName.forget(claim);
        List<Call> calls = new ArrayList<>();
        if (isNameByName(claim)) {
            claim.parts().forEach(part -> calls.add(withdrawal(claim, part, mayStillArrive)));
        } else {
            List<byte[]> heads = heads(claim);
            calls.add(stamped(Call.of(Script.WITHDRAW, heads, arguments(claim, mayStillArrive))));
        }
        router.deliver(calls, null);
        for (Call call : calls) {
            check("withdraw", claim, call);
            Answers.checkReadable(claim.describe(), call.answer());
        }
    }

    /** Asks for one part of a claim as if it were a claim of its own. */
    AcquireOutcome acquirePart(Claim claim, Claim.Part part, Deadline deadline) {
        long sentNanos = context.clock().nanos();
        int extended = mode | Records.EXTEND | (claim.queue() ? Records.QUEUE : 0);
        byte[] record = records.claim(claim, part, extended, List.of());
        Call call = stamped(Call.of(Script.ACQUIRE, keys.head(part.name()), record));
        router.deliver(call, replicas, deadline);
        return outcome(claim, List.of(part), call, sentNanos, deadline);
    }

    /** Ends some parts of a claim, in what is left of the time for asking for it. */
    void withdrawParts(Claim claim, List<Claim.Part> parts, Deadline deadline) {
        List<Call> calls =
                parts.stream().map(part -> withdrawal(claim, part, false)).toList();
        router.deliver(calls, null, deadline);
        calls.forEach(call -> check("withdraw", claim, call));
    }

    private boolean isNameByName(Claim claim) {
        return cluster && claim.parts().size() > 1;
    }

    private Call whole(Claim claim) {
        int asked = claim.queue() ? mode | Records.QUEUE : mode;
        List<Claim.Part> parts = claim.parts();
        if (parts.size() == 1) {
            byte[] record = records.claim(claim, parts.get(0), asked, List.of());
            return stamped(Call.of(Script.ACQUIRE, keys.head(parts.get(0).name()), record));
        }
        List<byte[]> heads = heads(claim);
        return stamped(Call.of(
                Script.ACQUIRE,
                heads,
                parts.stream()
                        .map(part -> records.claim(claim, part, asked, heads))
                        .toList()));
    }

    private Call withdrawal(Claim claim, Claim.Part part, boolean mayStillArrive) {
        return stamped(Call.of(Script.WITHDRAW, List.of(keys.head(part.name())), arguments(claim, mayStillArrive)));
    }

    private List<byte[]> arguments(Claim claim, boolean mayStillArrive) {
        byte[] owner = Records.owner(claim.owner());
        byte[] tombstone = mayStillArrive ? TOMBSTONE : NO_TOMBSTONE;
        return List.of(owner, tombstone);
    }

    private Call stamped(Call call) {
        return router.deployment().stamp(call);
    }

    private List<byte[]> heads(Claim claim) {
        return claim.parts().stream().map(part -> keys.head(part.name())).toList();
    }

    private AcquireOutcome outcome(Claim claim, List<Claim.Part> parts, Call call, long sentNanos, Deadline deadline) {
        check("acquire", claim, call);
        AcquireOutcome outcome = Answers.acquired(claim, parts, call, sentNanos);
        if (replicas != null && outcome instanceof AcquireOutcome.Granted && call.acknowledged() < replicas.count()) {
            // What a failover could take back at once was never held.
            StoreUnavailableException missing =
                    new StoreUnavailableException("acquire", claim.describe(), replicas.missing(call.acknowledged()));
            try {
                withdrawParts(claim, parts, deadline);
            } catch (StoreUnavailableException alsoUnanswered) {
                missing.addSuppressed(alsoUnanswered);
            }
            throw missing;
        }
        return outcome;
    }

    private static void check(String operation, Claim claim, Call call) {
        RuntimeException failure = call.failure();
        if (failure != null) {
            throw Faults.of(operation, claim.describe(), failure);
        }
    }
}
