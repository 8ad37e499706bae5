package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt.forClasses;

import dev.holdfast.LockOptions;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.OwnerId;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jetbrains.lincheck.datastructures.verifier.EpsilonVerifier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Interleavings of trying, waiting, giving up and releasing at one gate: never two holders, tokens grow, nobody waits
 * while the lock is free, and nothing is left in the store. Calls to the store and callbacks run inline, so that all
 * concurrency is Lincheck's own.
 *
 * <p>Lincheck pays for each field that is touched and each class that it meets. So the gate is used without the client
 * around it, the scenarios are chosen rather than drawn, and what happens under the gate's monitor is one step: nobody
 * can come between anyway. {@link ClientStress} does the same to a whole client.
 */
public class GateInterleavingsTest {
    /** Enough to find each of six bugs that were planted in the gate to try this test. */
    private static final int INTERLEAVINGS_PER_SCENARIO = 30;

    private static final Claim.HolderInfo HOLDER = new Claim.HolderInfo("lincheck", "");
    private static final Terms TERMS = Terms.exclusive(List.of("gate"), LockOptions.defaults(), HOLDER);

    /** A lock is not handed on between different terms: it goes back to the store. */
    private static final Terms OTHER_TERMS =
            Terms.exclusive(List.of("gate"), LockOptions.defaults().withLeaseTime(Duration.ofSeconds(20)), HOLDER);

    private static final Claim STRANGER =
            new Claim(TERMS.parts, new OwnerId(1, 1), Duration.ofSeconds(30), HOLDER, false);

    private final OneLockStore store = new OneLockStore();
    private final Engine engine = inlineEngine(store);
    private final ExclusiveGate gate = new ExclusiveGate(engine, "gate");

    /** Those who may give up, the oldest first; this and the rest are guarded by {@link #notes}. */
    private @Nullable Visitor oldest;

    private @Nullable Visitor newest;
    private @Nullable HeldLease held;
    private long lastToken;
    private String violation = "";
    private final Object notes = new Object();

    /** What another client holds; used by one thread at a time. */
    private List<Grant> strangersGrant = List.of();

    /** Public for Lincheck. */
    public GateInterleavingsTest() {
        store.pushTo(gate);
    }

    @Operation
    public void tryOnce() {
        start(new Visitor(TERMS, true));
    }

    @Operation
    public void queueUp() {
        remember(start(new Visitor(TERMS, false)));
    }

    @Operation
    public void queueUpOtherwise() {
        remember(start(new Visitor(OTHER_TERMS, false)));
    }

    /** The oldest that still waits gives up. */
    @Operation
    public void giveUp() {
        for (Visitor next = forgetOldest(); next != null; next = forgetOldest()) {
            if (gate.leave(next)) {
                next.note(true, false);
                return;
            }
        }
    }

    @Operation
    public void release() {
        HeldLease lease;
        synchronized (notes) {
            lease = held;
            held = null;
        }
        if (lease != null) {
            lease.release();
        }
    }

    /** Another client takes the lock, if it is free. */
    @Operation
    public void strangerTakes() {
        if (store.tryAcquire(STRANGER) instanceof AcquireOutcome.Granted granted) {
            strangersGrant = granted.grants();
        }
    }

    @Operation
    public void strangerReleases() {
        List<Grant> grants = strangersGrant;
        strangersGrant = List.of();
        if (!grants.isEmpty()) {
            store.release(grants);
        }
    }

    @Validate
    public void nothingWentWrong() {
        if (!violation.isEmpty()) {
            throw new IllegalStateException(violation);
        }
        boolean waiting = false;
        for (Visitor next = oldest; next != null; next = next.younger) {
            waiting |= !next.isSettled();
        }
        boolean free = held == null && strangersGrant.isEmpty();
        if (held != null && !strangersGrant.isEmpty()) {
            throw new IllegalStateException("two clients hold the lock at once");
        }
        if (free && waiting) {
            throw new IllegalStateException("somebody waits although the lock is free");
        }
        if (store.isHeld() == free || (store.hasLine() && !waiting)) {
            throw new IllegalStateException("the store has a holder or a waiter that nobody knows of");
        }
    }

    @Test
    void modelChecking() throws NoSuchMethodException {
        // These take the monitor themselves and act after it, so Lincheck must see them; a new name would hide them.
        Set<String> wholeSteps = Set.of("step", "enter", "answered", "pushed", "leave", "release");
        assertThat(Stream.of(Gate.class, ExclusiveGate.class).flatMap(gates -> Stream.of(gates.getDeclaredMethods())))
                .extracting(Method::getName)
                .containsAll(wholeSteps);
        new ModelCheckingOptions()
                .iterations(0)
                .invocationsPerIteration(INTERLEAVINGS_PER_SCENARIO)
                .addCustomScenario(
                        scenario(List.of("tryOnce", "queueUp", "queueUp"), List.of("release"), List.of("giveUp")))
                .addCustomScenario(scenario(
                        List.of("tryOnce", "queueUpOtherwise", "queueUp"), List.of("release"), List.of("giveUp")))
                .addCustomScenario(scenario(List.of("tryOnce"), List.of("release"), List.of("queueUp", "giveUp")))
                .addCustomScenario(scenario(
                        List.of("tryOnce"), List.of("release", "release"), List.of("queueUpOtherwise", "tryOnce")))
                .addCustomScenario(
                        scenario(List.of(), List.of("queueUp", "release"), List.of("queueUpOtherwise", "giveUp")))
                .addCustomScenario(scenario(
                        List.of("strangerTakes", "queueUp"),
                        List.of("strangerReleases"),
                        List.of("queueUpOtherwise", "giveUp")))
                .addCustomScenario(scenario(List.of("strangerTakes"), List.of("queueUp"), List.of("giveUp")))
                .addGuarantee(forClasses(Gate.class.getName(), ExclusiveGate.class.getName())
                        .methods(name -> !wholeSteps.contains(name) && !isSpecial(name))
                        .ignore())
                .addGuarantee(forClasses(
                                Contender.class.getName(),
                                HandOverCost.class.getName(),
                                LeakWatch.class.getName(),
                                Events.class.getName(),
                                HeldGrant.class.getName(),
                                Hold.class.getName(),
                                ReturnGap.class.getName(),
                                Terms.class.getName())
                        .methods(name -> !isSpecial(name))
                        .ignore())
                .addGuarantee(forClasses(Engine.class.getName())
                        .methods("newClaim", "newOwner", "now", "isClosed", "seesWaiters")
                        .ignore())
                .addGuarantee(
                        forClasses(Gates.class.getName()).methods("keepsIdle").ignore())
                .addGuarantee(forClasses(AfterUnlock.class.getName())
                        .methods("wake", "then", "callFirst")
                        .ignore())
                .verifier(EpsilonVerifier.class)
                .check(GateInterleavingsTest.class);
    }

    /** Constructors, because Lincheck has to see new objects, and what is left to the time after the monitor. */
    private static boolean isSpecial(String methodName) {
        return methodName.startsWith("<") || methodName.startsWith("lambda$");
    }

    @Test
    void stress() throws InterruptedException, ExecutionException {
        ClientStress.run();
    }

    private static ExecutionScenario scenario(List<String> before, List<String> here, List<String> there)
            throws NoSuchMethodException {
        return new ExecutionScenario(actors(before), List.of(actors(here), actors(there)), List.of(), null);
    }

    private static List<Actor> actors(List<String> operations) throws NoSuchMethodException {
        List<Actor> actors = new ArrayList<>();
        for (String name : operations) {
            actors.add(new Actor(GateInterleavingsTest.class.getMethod(name), List.of()));
        }
        return actors;
    }

    private void remember(Visitor visitor) {
        synchronized (notes) {
            if (newest == null) {
                oldest = visitor;
            } else {
                newest.younger = visitor;
            }
            newest = visitor;
        }
    }

    private @Nullable Visitor forgetOldest() {
        synchronized (notes) {
            Visitor first = oldest;
            oldest = first == null ? null : first.younger;
            newest = oldest == null ? null : newest;
            return first;
        }
    }

    private Visitor start(Visitor visitor) {
        Contender first = gate.enter(visitor);
        if (first != null) {
            engine.firstRequests.sendInBackground(first);
        }
        return visitor;
    }

    private void entered(HeldLease lease) {
        synchronized (notes) {
            if (held != null) {
                violation = "two holders at once";
            } else if (lease.token() <= lastToken) {
                violation = "a token that is not larger than the one before";
            }
            lastToken = lease.token();
            held = lease;
        }
    }

    /** A waiter without a thread or a future. */
    private final class Visitor extends Waiter {
        private @Nullable Visitor younger;
        private boolean gaveUp;
        private boolean wasServed;

        Visitor(Terms terms, boolean triesOnce) {
            super(GateInterleavingsTest.this.engine, terms, triesOnce ? 0 : Long.MAX_VALUE);
        }

        @Override
        boolean canEndWithoutAnswer() {
            return true;
        }

        @Override
        void deliver() {
            HeldLease lease = outcome();
            if (lease != null) {
                note(false, true);
                entered(lease);
            }
        }

        void note(boolean givesUp, boolean isServed) {
            synchronized (notes) {
                gaveUp |= givesUp;
                wasServed |= isServed;
                if (gaveUp && wasServed) {
                    violation = "somebody who gave up was given the lock";
                }
            }
        }
    }

    private static Engine inlineEngine(LockStore store) {
        Timeline never = new Timeline() {
            @Override
            public void schedule(Timed timed, long dueNanos) {}

            @Override
            public void cancel(Timed timed) {}
        };
        StoreCalls inline = new StoreCalls() {
            @Override
            public <R> void submit(
                    Lane lane, BooleanSupplier stillNeeded, Function<LockStore, R> call, Reply<R> reply) {
                reply.on(OneLockStore.CLOCK_STANDS_AT, call.apply(store), null);
            }
        };
        AtomicLong owners = new AtomicLong();
        Surroundings surroundings = new Surroundings(
                () -> OneLockStore.CLOCK_STANDS_AT,
                never,
                inline,
                Runnable::run,
                Runnable::run,
                Runnable::run,
                () -> 0,
                () -> new OwnerId(0, owners.incrementAndGet()),
                Duration.ofSeconds(1),
                true);
        Engine engine = new Engine("lincheck", surroundings, null);
        engine.attach(store);
        return engine;
    }
}
