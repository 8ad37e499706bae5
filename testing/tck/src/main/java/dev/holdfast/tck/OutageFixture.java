package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastBuilder;
import dev.holdfast.HoldfastException;
import dev.holdfast.LockOptions;
import dev.holdfast.LockView;
import dev.holdfast.StoreTraits;
import dev.holdfast.tck.Outages.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;

/**
 * What one test of the outage contract works with: a {@link Fixture}, clients that suffer from outages, and the outages.
 * At the end everything is mended before the fixture looks for what is left. Used like the fixture.
 */
final class OutageFixture implements AutoCloseable {
    private static final int MOST_SEEN = 10_000;

    private final Fixture fixture;
    private final Outages outages;
    private final Duration commandTimeout;
    private final Duration recoveryTime;

    OutageFixture(OutageContract contract) {
        this.fixture = new Fixture(contract);
        this.outages = contract.outages();
        this.commandTimeout = contract.commandTimeout();
        this.recoveryTime = contract.recoveryTime();
        PromiseReport.note(fixture.storeName(), outages.impossible());
    }

    /** {@return the fixture for everything that has nothing to do with outages} */
    Fixture plain() {
        return fixture;
    }

    /** {@return a new client that suffers from outages} */
    Holdfast exposed() {
        return exposed(builder -> builder);
    }

    /** {@return a new client that is set up further and suffers from outages} */
    Holdfast exposed(UnaryOperator<HoldfastBuilder> setUp) {
        return fixture.opened(setUp.apply(exposedBuilder()).build());
    }

    /** {@return what makes a client that suffers from outages} */
    HoldfastBuilder exposedBuilder() {
        return outages.connect(fixture.builder()).commandTimeout(commandTimeout);
    }

    /** {@return a new client that suffers from outages, but not from a machine that is busy for a moment} */
    Holdfast patient() {
        return exposed(builder -> builder.commandTimeout(fixture.patience()));
    }

    /** {@return the names among many that a partial outage concerns, or does not concern} */
    List<String> names(int count, boolean silenced) {
        List<String> found = new ArrayList<>();
        while (found.size() < count) {
            String name = fixture.name();
            if (outages.silences(name) == silenced) {
                found.add(name);
            }
        }
        return found;
    }

    /** {@return a name that nobody has used before} */
    String name() {
        return fixture.name();
    }

    /** {@return options with a lease that no test outlives} */
    LockOptions calm() {
        return fixture.calm();
    }

    StoreTraits traits() {
        return fixture.traits();
    }

    /** {@return every kind of lock that the store promises} */
    List<Kind> kinds() {
        return Kind.promisedBy(traits());
    }

    <T> Task<T> start(Callable<T> work) {
        return fixture.start(work);
    }

    boolean isPossible(Fault fault) {
        return !outages.impossible().containsKey(fault);
    }

    /** {@return whether held locks live through a fault} */
    boolean keepsLocks(Fault fault) {
        return outages.keepsLocks(fault);
    }

    /** Reports the test as not applicable if the store cannot have this fault. */
    void needs(Fault fault) {
        assumeTrue(
                isPossible(fault),
                () -> fixture.storeName() + " has no " + fault + ": "
                        + outages.impossible().get(fault));
    }

    /** Breaks something, until {@link #end}. */
    void begin(Fault fault) throws Exception {
        needs(fault);
        outages.begin(fault);
    }

    /** Ends the fault; returns when a client that did not suffer is served. */
    void end() throws Exception {
        outages.end();
        fixture.await().ignoreExceptionsInstanceOf(HoldfastException.class).until(() -> {
            fixture.observer().ping();
            return true;
        });
    }

    Duration commandTimeout() {
        return commandTimeout;
    }

    /**
     * {@return how long a call may take in any outage} That is its own wait, one command timeout, and something for a
     * busy machine, but clearly less than a second command timeout.
     */
    Duration budget(Duration wait) {
        return wait.plus(commandTimeout).plus(slack());
    }

    /** {@return what a busy machine may cost: less than a command timeout} */
    Duration slack() {
        return commandTimeout.multipliedBy(3).dividedBy(4);
    }

    Duration recoveryTime() {
        return recoveryTime;
    }

    /** Waits until the store is empty, for much less time than leases last. */
    void untilNothingIsLeft() {
        fixture.await()
                .atMost(recoveryTime.multipliedBy(2))
                .untilAsserted(() -> assertThat(fixture.observer().list(fixture.prefix(), MOST_SEEN))
                        .as("what is left in the store")
                        .isEmpty());
    }

    /** {@return the locks of this test in which a client is seen as holder or waiter} */
    List<String> tracesOf(Holdfast client) {
        String clientName = client.clientName();
        return fixture.observer().list(fixture.prefix(), MOST_SEEN).stream()
                .filter(view -> isIn(view, clientName))
                .map(LockView::name)
                .toList();
    }

    private static boolean isIn(LockView view, String clientName) {
        return view.holders().stream().anyMatch(holder -> holder.clientName().equals(clientName))
                || view.waiters().stream()
                        .anyMatch(waiter -> waiter.clientName().equals(clientName));
    }

    @Override
    public void close() throws Exception {
        try {
            end();
        } finally {
            fixture.close();
        }
    }
}
