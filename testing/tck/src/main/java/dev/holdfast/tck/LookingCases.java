package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastEvent;
import dev.holdfast.Lease;
import dev.holdfast.LockKind;
import dev.holdfast.LockView;
import dev.holdfast.LossReason;
import dev.holdfast.StoreTraits.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/** Who holds, who waits, and taking a lock away by force. P4, P8, P14. */
abstract class LookingCases {
    private static final long MOST_HAND_OFFS = 4095;

    private final Fixture fixture;

    LookingCases(Fixture fixture) {
        this.fixture = fixture;
    }

    @Test
    void inspectShowsTheHolder() throws InterruptedException {
        String name = fixture.name();
        Holdfast client = fixture.client(builder -> builder.clientName("ada"));
        Lease lease =
                client.lock(name, fixture.calm().withLabel("nightly report")).acquire();
        LockView view = fixture.observer().inspect(name).orElseThrow();

        assertThat(view.name()).isEqualTo(name);
        assertThat(view.kind()).isEqualTo(LockKind.EXCLUSIVE);
        assertThat(view.capacity()).isEqualTo(1);
        assertThat(view.waiters()).isEmpty();
        assertThat(view.holders()).singleElement().satisfies(holder -> {
            assertThat(holder.clientName()).isEqualTo("ada");
            assertThat(holder.label()).isEqualTo("nightly report");
            assertThat(holder.units()).isEqualTo(1);
            assertThat(lease.token() - holder.token()).isBetween(0L, MOST_HAND_OFFS);
            assertThat(holder.heldFor()).isBetween(Duration.ZERO, fixture.patience());
        });
    }

    @Test
    void inspectShowsWhatIsLeftOfTheLease() throws InterruptedException {
        fixture.needsLeases();
        String name = fixture.name();
        Lease lease = fixture.client().lock(name, fixture.calm()).acquire();
        LockView view = fixture.observer().inspect(name).orElseThrow();

        assertThat(view.holders())
                .singleElement()
                .satisfies(holder -> assertThat(holder.remaining())
                        .hasValueSatisfying(remaining -> assertThat(remaining)
                                .isPositive()
                                .isLessThanOrEqualTo(fixture.calm().leaseTime())));
        assertThat(lease.isHeld()).isTrue();
    }

    @Test
    void inspectWorksInTheHoldersOwnClient() throws InterruptedException {
        String name = fixture.name();
        Holdfast client = fixture.client();
        Lease lease = client.lock(name).acquire();

        assertThat(client.inspect(name).orElseThrow().holders()).hasSize(1);
        assertThat(fixture.client().lock(name).tryAcquire())
                .as("looking did not free it")
                .isEmpty();
        assertThat(lease.isHeld()).isTrue();
    }

    @Test
    void inspectShowsWaitersInOrder() throws InterruptedException {
        fixture.needs(Promise.SEES_WAITERS);
        String name = fixture.name();
        Lease held = fixture.client().lock(name).acquire();
        List<CompletableFuture<Lease>> waiters = new ArrayList<>();
        List<String> clientNames = List.of("ada", "grace", "barbara");
        for (String clientName : clientNames) {
            Holdfast client = fixture.client(builder -> builder.clientName(clientName));
            waiters.add(client.lock(name).acquireAsync());
            fixture.untilWaiters(name, waiters.size());
        }
        List<LockView.Waiter> seen = fixture.waiters(name);

        assertThat(seen).extracting(LockView.Waiter::units).containsOnly(1);
        assertThat(seen).extracting(LockView.Waiter::clientName).isEqualTo(clientNames);
        assertThat(held.isHeld()).isTrue();
        waiters.forEach(waiter -> waiter.cancel(false));
    }

    @Test
    void inspectShowsUnitsAndCapacityOfASemaphore() throws InterruptedException {
        fixture.needs(Promise.SEMAPHORE);
        String name = fixture.name();
        Lease two = fixture.client().semaphore(name, 5).permits(2).acquire();
        Lease one = fixture.client().semaphore(name, 5).permits(1).acquire();
        LockView view = fixture.observer().inspect(name).orElseThrow();

        assertThat(view.kind()).isEqualTo(LockKind.SEMAPHORE);
        assertThat(view.capacity()).isEqualTo(5);
        assertThat(view.holders()).extracting(LockView.Holder::units).containsExactly(2, 1);
        assertThat(List.of(one, two)).allMatch(Lease::isHeld);
    }

    @Test
    void nothingIsToldOfANameThatNobodyUses() throws InterruptedException {
        String name = fixture.name();
        assertThat(fixture.observer().inspect(name)).isEmpty();
        fixture.client().lock(name).acquire().close();

        fixture.await()
                .untilAsserted(() -> assertThat(fixture.observer()
                                .inspect(name)
                                .map(LockView::holders)
                                .orElse(List.of()))
                        .isEmpty());
    }

    @Test
    void listShowsNamesInUseSortedUpToALimit() throws InterruptedException {
        Holdfast client = fixture.client();
        List<Lease> leases = new ArrayList<>();
        for (String end : List.of("c", "a", "d", "b")) {
            leases.add(client.lock(fixture.prefix() + "list/" + end).acquire());
        }
        Lease elsewhere = client.lock(fixture.prefix() + "other").acquire();
        String prefix = fixture.prefix() + "list/";

        assertThat(namesListed(prefix, 10)).containsExactly(prefix + "a", prefix + "b", prefix + "c", prefix + "d");
        assertThat(namesListed(prefix, 2)).containsExactly(prefix + "a", prefix + "b");
        assertThat(namesListed(fixture.prefix(), 10)).contains(elsewhere.name()).hasSize(5);
        leases.forEach(Lease::close);
        assertThat(namesListed(prefix, 10)).isEmpty();
        assertThat(elsewhere.isHeld()).isTrue();
    }

    @Test
    void listTakesItsPrefixLiterally() throws InterruptedException {
        Holdfast client = fixture.client();
        Lease plain = client.lock(fixture.prefix() + "abc").acquire();
        for (String wild : List.of("%", "_bc", "*", "?bc", "[a]", "A")) {
            assertThat(namesListed(fixture.prefix() + wild, 10)).as(wild).isEmpty();
        }
        Lease wild = client.lock(fixture.prefix() + "%_*?[a]\\").acquire();

        assertThat(namesListed(fixture.prefix() + "%_*?[", 10)).containsExactly(wild.name());
        assertThat(plain.isHeld()).isTrue();
    }

    @Test
    void evictedHolderIsToldAndTheNextTokenIsLarger() throws Exception {
        String name = fixture.name();
        Lease evicted = fixture.client().lock(name, fixture.renewed()).acquire();
        CompletableFuture<LossReason> told = new CompletableFuture<>();
        evicted.onLost(told::complete);

        assertThat(fixture.client().evict(name, "maintenance")).isEqualTo(1);
        Lease next = fixture.client().lock(name).acquire();
        assertThat(next.token()).isGreaterThan(evicted.token());
        assertThat(fixture.outcome(told)).isEqualTo(LossReason.EVICTED);
        assertThat(evicted.isHeld()).isFalse();
        assertThat(evicted.release()).isFalse();
        assertThat(fixture.client().lock(name).tryAcquire())
                .as("the next still holds")
                .isEmpty();
        assertThat(next.isHeld()).isTrue();
    }

    @Test
    void evictionByTokenCannotHitASuccessor() throws Exception {
        String name = fixture.name();
        Lease first = fixture.client().lock(name).acquire();
        first.close();
        Lease successor = fixture.client().lock(name, fixture.renewed()).acquire();
        Holdfast operator = fixture.client();

        assertThat(operator.evict(name, first.token(), "it hung")).isZero();
        assertThat(successor.isHeld()).isTrue();
        assertThat(fixture.client().lock(name).tryAcquire())
                .as("the successor still holds")
                .isEmpty();
        assertThat(operator.evict(name, successor.token(), "it hangs")).isEqualTo(1);
        fixture.await().until(() -> !successor.isHeld());
    }

    @Test
    void tokenThatWasHandedOnNamesTheSameGrant() throws Exception {
        String name = fixture.name();
        DistributedLock lock = fixture.client().lock(name, fixture.renewed());
        Lease first = lock.acquire();
        CompletableFuture<Lease> waiter = lock.acquireAsync();
        first.close();
        Lease next = fixture.outcome(waiter);
        long shown =
                fixture.observer().inspect(name).orElseThrow().holders().get(0).token();

        assertThat(fixture.observer().evict(name, shown, "it hangs")).isEqualTo(1);
        fixture.await().until(() -> !next.isHeld());
        assertThat(fixture.observer().evict(name, next.token(), "again")).isZero();
    }

    @Test
    void evictionServesTheNextWaiter() throws Exception {
        String name = fixture.name();
        Lease evicted = fixture.client().lock(name, fixture.renewed()).acquire();
        CompletableFuture<Lease> waiter = fixture.client().lock(name).acquireAsync();
        fixture.observer().evict(name, "maintenance");

        assertThat(fixture.outcome(waiter).token()).isGreaterThan(evicted.token());
    }

    @Test
    void evictionIsRecordedWithWhoAndWhy() throws InterruptedException {
        Queue<HoldfastEvent> events = new ConcurrentLinkedQueue<>();
        String name = fixture.name();
        Lease held = fixture.client().lock(name, fixture.renewed()).acquire();
        Holdfast operator =
                fixture.client(builder -> builder.clientName("operator").listener(events::add));
        assertThat(operator.evict(name, "it hangs; ticket 4711")).isEqualTo(1);

        assertThat(fixture.observer().inspect(name).flatMap(LockView::lastEviction))
                .hasValueSatisfying(eviction -> {
                    assertThat(eviction.by()).isEqualTo("operator");
                    assertThat(eviction.reason()).isEqualTo("it hangs; ticket 4711");
                    assertThat(eviction.ago()).isBetween(Duration.ZERO, fixture.patience());
                });
        fixture.await()
                .untilAsserted(() -> assertThat(List.copyOf(events))
                        .contains(new HoldfastEvent.Evicted(name, "it hangs; ticket 4711", 1)));
        fixture.await().until(() -> !held.isHeld());
    }

    @Test
    void evictionOfAFreeLockDoesNothing() {
        assertThat(fixture.client().evict(fixture.name(), "maintenance")).isZero();
    }

    @Test
    void storeGivesASignOfLife() {
        fixture.client().ping();
    }

    private List<String> namesListed(String prefix, int limit) {
        return fixture.observer().list(prefix, limit).stream()
                .map(LockView::name)
                .toList();
    }
}
