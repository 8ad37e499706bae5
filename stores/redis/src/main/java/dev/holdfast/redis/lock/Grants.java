package dev.holdfast.redis.lock;

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
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.MonotonicClock;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.RenewOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Renews and releases grants, many in one request. Thread-safe. */
final class Grants {
    /** So many names are handled by one run of a script; more would keep other clients waiting. */
    private static final int MOST_RENEWED_PER_SCRIPT = 500;

    private static final int MOST_RELEASED_PER_SCRIPT = 100;

    /** When one server has answered a renewal, others have this part of the lease, or of the timeout, to do the same. */
    private static final int MOMENTS = 8;

    private final MonotonicClock clock;
    private final Duration timeout;
    private final Keys keys;
    private final CallRouter router;
    private final @Nullable Replicas replicas;
    private final boolean cluster;
    private final LongLines longLines;

    /** Some grants and the call that concerns them. */
    private record Batch(List<Grant> grants, Call call) {}

    Grants(MonotonicClock clock, Settings settings, Keys keys, CallRouter router) {
        this.clock = clock;
        this.timeout = settings.timeout();
        this.keys = keys;
        this.router = router;
        this.replicas = settings.replicas();
        this.longLines = new LongLines(router);
        this.cluster = router.deployment().isCluster();
    }

    List<RenewOutcome> renew(List<Grant> grants) {
        List<Batch> batches = batches(Script.RENEW, MOST_RENEWED_PER_SCRIPT, grants, Records::renewal);
        long sentNanos = clock.nanos();
        Set<Call> leftBehind = deliverPromptly(batches, grants);
        List<RenewOutcome> outcomes = new ArrayList<>(grants.size());
        for (Batch batch : batches) {
            RuntimeException failure =
                    leftBehind.contains(batch.call) ? CallRouter.noAnswerYet() : batch.call.failure();
            if (failure == null && replicas != null && batch.call.acknowledged() < replicas.count()) {
                failure = replicas.missing(batch.call.acknowledged());
            }
            if (failure == null) {
                outcomes.addAll(Answers.renewed(batch.grants, batch.call, sentNanos));
            } else {
                for (Grant grant : batch.grants) {
                    outcomes.add(new RenewOutcome.Unknown(Faults.of("renew", grant.name(), failure)));
                }
            }
        }
        return outcomes;
    }

    List<ReleaseOutcome> release(List<Grant> grants) {
        List<Batch> batches = batches(Script.RELEASE, MOST_RELEASED_PER_SCRIPT, grants, Records::grant);
        Deadline deadline = router.newDeadline();
        deliver(batches, null, deadline);
        batches.forEach(batch -> serveOn(batch, deadline));
        if (batches.size() == 1) {
            return released(batches.get(0));
        }
        List<ReleaseOutcome> outcomes = new ArrayList<>(grants.size());
        batches.forEach(batch -> outcomes.addAll(released(batch)));
        return outcomes;
    }

    private void serveOn(Batch batch, Deadline deadline) {
        int part = Answers.unserved(batch.grants.size(), batch.call.answer());
        if (part >= 0) {
            longLines.serve(keys.head(batch.grants.get(part).name()), deadline);
        }
    }

    private static List<ReleaseOutcome> released(Batch batch) {
        RuntimeException failure = batch.call.failure();
        if (failure == null) {
            return Answers.released(batch.grants, batch.call);
        }
        List<ReleaseOutcome> outcomes = new ArrayList<>(batch.grants.size());
        for (Grant grant : batch.grants) {
            outcomes.add(new ReleaseOutcome.Unknown(Faults.of("release", grant.name(), failure)));
        }
        return outcomes;
    }

    private List<Batch> batches(Script script, int mostPerScript, List<Grant> grants, Function<Grant, byte[]> record) {
        if (grants.size() == 1) {
            Grant only = grants.get(0);
            return List.of(new Batch(grants, stamped(Call.of(script, keys.head(only.name()), record.apply(only)))));
        }
        List<Batch> batches = new ArrayList<>();
        int most = cluster ? 1 : mostPerScript;
        for (int from = 0; from < grants.size(); from += most) {
            List<Grant> some = grants.subList(from, Math.min(grants.size(), from + most));
            List<byte[]> heads = new ArrayList<>(some.size());
            List<byte[]> arguments = new ArrayList<>(some.size());
            for (Grant grant : some) {
                heads.add(keys.head(grant.name()));
                arguments.add(record.apply(grant));
            }
            Call call = Call.of(script, heads, arguments);
            batches.add(new Batch(some, stamped(call)));
        }
        return batches;
    }

    private Call stamped(Call call) {
        return router.deployment().stamp(call);
    }

    /** One silent server of several must not be the end of leases at the others: the engine asks for its own again, apart. */
    private Set<Call> deliverPromptly(List<Batch> batches, List<Grant> grants) {
        if (batches.size() == 1 || !cluster) {
            deliver(batches, replicas, router.newDeadline());
            return Set.of();
        }
        Duration shortest =
                grants.stream().map(Grant::lease).min(Duration::compareTo).orElseThrow();
        Duration moment = (shortest.compareTo(timeout) < 0 ? shortest : timeout).dividedBy(MOMENTS);
        return router.deliverPromptly(
                batches.stream().map(Batch::call).toList(), replicas, router.newDeadline(), moment);
    }

    private void deliver(List<Batch> batches, @Nullable Replicas acknowledging, Deadline deadline) {
        if (batches.size() == 1) {
            router.deliver(batches.get(0).call, acknowledging, deadline);
        } else {
            router.deliver(batches.stream().map(Batch::call).toList(), acknowledging, deadline);
        }
    }
}
