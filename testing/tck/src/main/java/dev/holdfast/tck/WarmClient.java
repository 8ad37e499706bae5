package dev.holdfast.tck;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.StoreTraits.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A client in the middle of its work, as outages find it: it has been used for a while, holds leases of every kind, keeps
 * some for later, waits for names that a rival holds, and is waited for by its own threads and by the rival. Made and used
 * by one thread.
 */
final class WarmClient {
    static final int HELD = 40;
    static final int KEPT = 6;
    private static final int WAITS = 4;
    private static final int ROUNDS_BEFORE = 20;

    private final OutageFixture fixture;
    private final Holdfast client;
    private final Holdfast rival;
    private final List<Lease> held = new ArrayList<>();
    private final List<Lease> shared = new ArrayList<>();
    private final List<String> kept = new ArrayList<>();
    private final List<Lease> blocking = new ArrayList<>();
    private final List<CompletableFuture<Lease>> waits = new ArrayList<>();
    private final List<CompletableFuture<Lease>> rivalWaits = new ArrayList<>();
    private final List<Task<Lease>> threads = new ArrayList<>();

    private WarmClient(OutageFixture fixture, Holdfast client, Holdfast rival) {
        this.fixture = fixture;
        this.client = client;
        this.rival = rival;
    }

    /** Warms a client up. */
    static WarmClient of(OutageFixture fixture, Holdfast client) throws Exception {
        WarmClient warm = new WarmClient(fixture, client, fixture.plain().client());
        warm.workForAWhile();
        warm.take();
        warm.keepForLater();
        warm.waitForTheRival();
        warm.beWaitedFor();
        return warm;
    }

    Holdfast client() {
        return client;
    }

    /** {@return a client that does not suffer, holds what this one waits for, and waits for what this one holds} */
    Holdfast rival() {
        return rival;
    }

    /** {@return {@link #HELD} exclusive leases; the rival and threads of this client wait for the first few} */
    List<Lease> held() {
        return held;
    }

    /** {@return one lease of every kind that the store promises} */
    List<Lease> shared() {
        return shared;
    }

    /** {@return {@link #KEPT} names that nobody holds but this client keeps, if it {@link #keeps}, with {@link #keptOptions}} */
    List<String> kept() {
        return kept;
    }

    /** {@return whether leases are kept for later: where nobody sees waiters, they go back at once} */
    boolean keeps() {
        return fixture.traits().promises(Promise.SEES_WAITERS);
    }

    LockOptions keptOptions() {
        return fixture.calm().withStickyFor(Duration.ofHours(1));
    }

    /** {@return what the rival holds and this client waits for, in the order of {@link #waits}} */
    List<Lease> blocking() {
        return blocking;
    }

    /** {@return the pending waits of this client} */
    List<CompletableFuture<Lease>> waits() {
        return waits;
    }

    /** {@return the pending waits of the rival for the first few of {@link #held}} */
    List<CompletableFuture<Lease>> rivalWaits() {
        return rivalWaits;
    }

    /** {@return threads of this client that wait for the first few of {@link #held}} */
    List<Task<Lease>> threads() {
        return threads;
    }

    private void workForAWhile() throws Exception {
        String name = fixture.name();
        for (int round = 0; round < ROUNDS_BEFORE; round++) {
            client.lock(name).acquire().close();
            fixture.plain().outcome(client.lock(name).acquireAsync()).close();
        }
        for (Holdfast holder : List.of(client, rival, client, rival)) {
            Lease lease = holder.lock(name).acquire();
            Holdfast other = holder == client ? rival : client;
            CompletableFuture<Lease> next = other.lock(name).acquireAsync();
            lease.close();
            fixture.plain().outcome(next).close();
        }
    }

    /** All at the same time, so that the client has as many connections as it may. */
    private void take() throws Exception {
        List<Task<Lease>> takers = new ArrayList<>();
        for (int i = 0; i < HELD; i++) {
            DistributedLock lock = client.lock(fixture.name());
            takers.add(fixture.start(lock::acquire));
        }
        for (Task<Lease> taker : takers) {
            held.add(taker.result());
        }
        for (Kind kind : fixture.kinds()) {
            shared.add(kind.lock().of(client, fixture.name(), fixture.calm()).acquire());
        }
    }

    private void keepForLater() throws InterruptedException {
        for (int i = 0; i < KEPT; i++) {
            kept.add(fixture.name());
            client.lock(kept.get(i), keptOptions()).acquire().close();
        }
    }

    private void waitForTheRival() throws InterruptedException {
        for (int i = 0; i < WAITS; i++) {
            blocking.add(rival.lock(fixture.name()).acquire());
            waits.add(client.lock(blocking.get(i).name()).acquireAsync());
            untilInLine(blocking.get(i).name());
        }
    }

    private void beWaitedFor() {
        for (int i = 0; i < WAITS; i++) {
            String name = held.get(i).name();
            threads.add(fixture.start(() -> client.lock(name).acquire()));
            threads.get(i).untilWaiting();
            rivalWaits.add(rival.lock(name).acquireAsync());
            untilInLine(name);
        }
    }

    private void untilInLine(String name) {
        if (fixture.traits().promises(Promise.SEES_WAITERS)) {
            fixture.plain().untilWaiters(name, 1);
        }
    }
}
