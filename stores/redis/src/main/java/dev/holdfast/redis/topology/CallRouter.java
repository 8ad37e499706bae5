package dev.holdfast.redis.topology;

import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.redis.wire.BrokenExchange;
import dev.holdfast.redis.wire.Call;
import dev.holdfast.redis.wire.Deadline;
import dev.holdfast.redis.wire.Exchange;
import dev.holdfast.redis.wire.Faults;
import dev.holdfast.redis.wire.Redirection;
import dev.holdfast.redis.wire.Replicas;
import dev.holdfast.redis.wire.Script;
import dev.holdfast.redis.wire.Server;
import dev.holdfast.redis.wire.ServerRefusal;
import dev.holdfast.spi.MonotonicClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Takes calls to the servers that they are for, and after them when those have moved on: a script that a server has
 * forgotten is sent in full, a moved slot is followed, a connection that was closed while idle is replaced, a demoted
 * master is left. After that, every call has an answer or a failure. Thread-safe.
 */
public final class CallRouter {
    private static final int MOST_ROUNDS = 6;

    /** The keys of a name move one by one; so often, and with such a pause, a call looks whether they are together. */
    private static final int MOST_ROUNDS_ON_THE_MOVE = 50;

    private static final long PAUSE_ON_THE_MOVE_NANOS = 4_000_000;

    /** Of what is delivered side by side with other things: so that no number of silent servers uses up all threads. */
    private static final int MOST_AT_ONE_SERVER = 8;

    private final Deployment deployment;
    private final Executor parallel;
    private final MonotonicClock clock;
    private final Duration timeout;
    private volatile Runnable whenBroken = () -> {};

    /** How many deliveries to a server are under way on other threads; only those of which there are some. */
    private final Map<Server, Integer> underWay = new ConcurrentHashMap<>();

    /**
     * Makes a router.
     *
     * @param parallel for asking several servers side by side
     * @param timeout how long a delivery may take, whatever it has to do for that
     */
    public CallRouter(Deployment deployment, Executor parallel, MonotonicClock clock, Duration timeout) {
        this.deployment = deployment;
        this.parallel = parallel;
        this.clock = clock;
        this.timeout = timeout;
    }

    /** Says whom to tell, in a moment, that a server did not answer. */
    public void whenBroken(Runnable told) {
        whenBroken = told;
    }

    /** {@return by when a delivery that begins now has to be over} */
    public Deadline newDeadline() {
        return Deadline.in(clock, timeout);
    }

    public Deployment deployment() {
        return deployment;
    }

    /** Delivers one call. */
    public void deliver(Call call, @Nullable Replicas replicas) {
        deliver(List.of(call), replicas, newDeadline());
    }

    /** Delivers one call for which a part of the time has passed already. */
    public void deliver(Call call, @Nullable Replicas replicas, Deadline deadline) {
        deliver(List.of(call), replicas, deadline);
    }

    /** Delivers calls, those for one server in one round trip, and those for several servers side by side. */
    public void deliver(List<Call> calls, @Nullable Replicas replicas) {
        deliver(calls, replicas, newDeadline());
    }

    /** Delivers calls for which a part of the time has passed already. */
    public void deliver(List<Call> calls, @Nullable Replicas replicas, Deadline deadline) {
        Set<Call> none = deliver(calls, replicas, deadline, null);
        if (!none.isEmpty()) {
            throw new IllegalStateException("nobody was to be left behind");
        }
    }

    /**
     * Delivers calls without waiting long for silent servers: when one has answered, the others have a moment more.
     *
     * @return the calls that were left behind, which nobody may look at any more; they may still take effect
     */
    public Set<Call> deliverPromptly(
            List<Call> calls, @Nullable Replicas replicas, Deadline deadline, Duration moment) {
        return deliver(calls, replicas, deadline, moment);
    }

    /** {@return what is told of a call that was left behind} */
    public static RuntimeException noAnswerYet() {
        return BrokenExchange.afterSending(
                "other members of the cluster have answered, this one has not",
                false,
                new TimeoutException("no answer yet"));
    }

    private Set<Call> deliver(
            List<Call> calls, @Nullable Replicas replicas, Deadline deadline, @Nullable Duration moment) {
        Set<Call> leftBehind = Collections.newSetFromMap(new IdentityHashMap<>());
        // An interrupt that came before must not disturb the socket of a virtual thread.
        boolean interrupted = Thread.interrupted();
        try {
            List<Call> pending = calls;
            int most = MOST_ROUNDS;
            for (int round = 1; !pending.isEmpty(); round++) {
                List<Call> again = pending.size() == 1
                        ? deliverTo(serverFor(pending.get(0), deadline), pending, replicas, deadline)
                        : deliverByServer(pending, replicas, deadline, moment, leftBehind);
                if (again.stream().anyMatch(CallRouter::isOnTheMove)) {
                    most = MOST_ROUNDS_ON_THE_MOVE;
                    LockSupport.parkNanos(PAUSE_ON_THE_MOVE_NANOS);
                }
                pending = round < most && !deadline.isOver() ? again : List.of();
            }
            return leftBehind;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static boolean isOnTheMove(Call call) {
        ServerRefusal refusal = call.refusal();
        return refusal != null && Faults.isOnTheMove(refusal);
    }

    /** Delivers a call that is for one certain server, once more if its connection was closed while it was idle. */
    public void deliverTo(Server server, Call call) {
        Deadline deadline = newDeadline();
        List<Call> again = deliverTo(server, List.of(call), null, deadline);
        if (!again.isEmpty() && call.isRepeated()) {
            deliverTo(server, again, null, deadline);
        }
    }

    private List<Call> deliverByServer(
            List<Call> calls,
            @Nullable Replicas replicas,
            Deadline deadline,
            @Nullable Duration moment,
            Set<Call> leftBehind) {
        Map<Server, List<Call>> byServer = new LinkedHashMap<>();
        for (Call call : calls) {
            Server server = serverFor(call, deadline);
            if (server != null) {
                byServer.computeIfAbsent(server, one -> new ArrayList<>()).add(call);
            }
        }
        Map<List<Call>, CompletableFuture<List<Call>>> deliveries = new IdentityHashMap<>();
        List<Map.Entry<Server, List<Call>>> own = new ArrayList<>();
        int left = byServer.size();
        for (Map.Entry<Server, List<Call>> one : byServer.entrySet()) {
            Supplier<List<Call>> delivery = () -> deliverTo(one.getKey(), one.getValue(), replicas, deadline);
            // Whoever must not be kept by a silent server asks none of several itself.
            boolean last = --left == 0 && own.isEmpty() && (moment == null || byServer.size() == 1);
            CompletableFuture<List<Call>> sideBySide = last ? null : sideBySide(one.getKey(), delivery);
            if (sideBySide != null) {
                deliveries.put(one.getValue(), sideBySide);
            } else if (last || moment == null) {
                own.add(one);
            } else {
                leftBehind.addAll(one.getValue());
            }
        }
        // Those at which nothing hangs come first: they do not wait for the others.
        own.sort(Comparator.comparingInt(one -> underWay.getOrDefault(one.getKey(), 0)));
        for (Map.Entry<Server, List<Call>> one : own) {
            deliveries.put(
                    one.getValue(),
                    CompletableFuture.completedFuture(deliverTo(one.getKey(), one.getValue(), replicas, deadline)));
        }
        if (moment != null && !deliveries.isEmpty()) {
            awaitFirst(deliveries.values(), deadline, moment);
        }
        List<Call> again = new ArrayList<>();
        deliveries.forEach((some, delivery) -> {
            if (moment == null || delivery.isDone()) {
                again.addAll(delivery.join());
            } else {
                leftBehind.addAll(some);
            }
        });
        return again;
    }

    /** Begins a delivery on another thread; null if there is none, or so many hang at this server already. */
    private @Nullable CompletableFuture<List<Call>> sideBySide(Server server, Supplier<List<Call>> delivery) {
        if (underWay.merge(server, 1, Integer::sum) <= MOST_AT_ONE_SERVER) {
            try {
                return CompletableFuture.supplyAsync(delivery, parallel)
                        .whenComplete((again, failure) -> ended(server));
            } catch (RejectedExecutionException closing) {
                ended(server);
                return null;
            }
        }
        ended(server);
        return null;
    }

    private void ended(Server server) {
        underWay.computeIfPresent(server, (same, count) -> count == 1 ? null : count - 1);
    }

    /** Waits for the first to end, and a moment for the others. */
    private static void awaitFirst(
            Collection<CompletableFuture<List<Call>>> deliveries, Deadline deadline, Duration moment) {
        CompletableFuture<?>[] all = deliveries.toArray(new CompletableFuture<?>[0]);
        await(CompletableFuture.anyOf(all), deadline);
        await(CompletableFuture.allOf(all), deadline.atMost(moment));
    }

    private static void await(CompletableFuture<?> future, Deadline deadline) {
        try {
            Object unused = deadline.await(future);
        } catch (ExecutionException | TimeoutException over) {
            // Whoever waits looks at what has become of it.
            return;
        }
    }

    /** The server for a call; null if nobody can tell, which is then the call's failure. */
    private @Nullable Server serverFor(Call call, Deadline deadline) {
        try {
            Server sentTo = call.sentTo();
            if (sentTo != null) {
                // Under the generation of the slot: the one that takes it over has a larger one only afterwards.
                return sentTo;
            }
            Route route = deployment.routeTo(call.key(), deadline);
            call.under(route.generation());
            return route.server();
        } catch (BrokenExchange | ServerRefusal unknown) {
            call.failed(unknown);
            return null;
        }
    }

    /** Delivers calls to one server; returns those that have to be sent again. */
    private List<Call> deliverTo(
            @Nullable Server server, List<Call> calls, @Nullable Replicas replicas, Deadline deadline) {
        if (server == null) {
            return List.of();
        }
        Exchange exchange = new Exchange(calls, replicas, deadline);
        try {
            server.carry(exchange);
        } catch (BrokenExchange broken) {
            return afterBreak(server, calls, broken, deadline);
        } catch (ServerRefusal refused) {
            calls.forEach(call -> call.failed(refused));
            return List.of();
        }
        if (calls.size() == 1 && calls.get(0).failure() == null) {
            calls.get(0).answeredBy(exchange.clock(), exchange.acknowledged());
            return List.of();
        }
        List<Call> again = new ArrayList<>();
        Set<Script> inFull = EnumSet.noneOf(Script.class);
        for (Call call : calls) {
            call.answeredBy(exchange.clock(), exchange.acknowledged());
            ServerRefusal refusal = call.refusal();
            if (refusal != null && isWorthSendingAgain(call, refusal, server, inFull, deadline)) {
                again.add(call);
            }
        }
        return again;
    }

    private boolean isWorthSendingAgain(
            Call call, ServerRefusal refusal, Server server, Set<Script> inFull, Deadline deadline) {
        if (refusal instanceof Redirection redirection) {
            if (!deployment.isCluster()) {
                call.failed(new StoreMisconfiguredException("the server at " + server.where()
                        + " is a member of a Redis Cluster; begin the URL with 'redis+cluster://', or give a client of a"
                        + " cluster (it says: " + refusal.getMessage() + ")"));
                return false;
            }
            Server other = deployment.follow(redirection, server, deadline);
            call.sendAgain(redirection.isThisOnce() ? other : null, false);
            return true;
        }
        Script script = call.script();
        if (script != null && Faults.isUnknownScript(refusal)) {
            // One in full is enough: the server knows the script by the time it reads the others.
            call.sendAgain(call.sentTo(), inFull.add(script));
            return true;
        }
        if (Faults.isOnTheMove(refusal) && call.mayBeRepeated()) {
            // By the server's own word, a part of the script may have been done.
            call.sendAfterMove(!Faults.isTornName(refusal));
            return true;
        }
        if (!Faults.isFromReplica(refusal)) {
            return false;
        }
        deployment.demoted(server);
        return isElsewhere(call, server, deadline);
    }

    private List<Call> afterBreak(Server server, List<Call> calls, BrokenExchange broken, Deadline deadline) {
        // A virtual thread that was interrupted broke the connection itself and would break the next one too.
        boolean freshConnectionHelps =
                broken.wasStale() && !Thread.currentThread().isInterrupted();
        if (freshConnectionHelps) {
            server.forgetIdle();
        }
        deployment.suspect(server);
        whenBroken.run();
        List<Call> again = new ArrayList<>();
        for (Call call : calls) {
            call.failed(broken);
            if (freshConnectionHelps && call.mayBeRepeated()) {
                call.repeat();
                again.add(call);
            } else if (!broken.mayHaveArrived() && isElsewhere(call, server, deadline)) {
                again.add(call);
            }
        }
        return again;
    }

    /** Whether, on second thoughts, another server answers for the call's key. */
    private boolean isElsewhere(Call call, Server server, Deadline deadline) {
        try {
            if (deployment.routeTo(call.key(), deadline).server() != server) {
                call.sendAgain(null, false);
                return true;
            }
        } catch (BrokenExchange | ServerRefusal unknown) {
            call.failed(unknown);
        }
        return false;
    }
}
