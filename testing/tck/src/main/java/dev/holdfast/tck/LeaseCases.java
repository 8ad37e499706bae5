package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastEvent;
import dev.holdfast.Lease;
import dev.holdfast.LossReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/** The life of a lease that nobody takes away: held, renewed, released. P9. */
abstract class LeaseCases {
    private final Fixture fixture;

    LeaseCases(Fixture fixture) {
        this.fixture = fixture;
    }

    @Test
    void heldLeaseTellsWhatItHolds() throws InterruptedException {
        String name = fixture.name();
        Lease lease = fixture.client().lock(name).acquire();
        lease.ensureHeld();

        assertThat(lease.name()).isEqualTo(name);
        assertThat(lease.names()).containsExactly(name);
        assertThat(lease.isHeld()).isTrue();
        assertThat(lease.isExclusive()).isTrue();
        assertThat(lease.token(name)).isEqualTo(lease.token());
        assertThatThrownBy(() -> lease.token(name + "x")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void remainingTimeIsNeverMoreThanTheLease() throws InterruptedException {
        fixture.needsLeases();
        Duration leaseTime = fixture.calm().leaseTime();
        Lease lease = fixture.client().lock(fixture.name(), fixture.calm()).acquire();

        assertThat(lease.remaining()).isPositive().isLessThan(leaseTime);
        assertThat(lease.isHeld()).isTrue();
    }

    @Test
    void releasedLeaseIsNotHeld() throws InterruptedException {
        Lease lease = fixture.client().lock(fixture.name()).acquire();
        assertThat(lease.release()).isTrue();

        assertThat(lease.isHeld()).isFalse();
        assertThat(lease.remaining()).isZero();
        assertThatThrownBy(lease::ensureHeld).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void releasingOrClosingAgainDoesNothing() throws InterruptedException {
        String name = fixture.name();
        Lease lease = fixture.client().lock(name).acquire();
        lease.close();
        Lease next = fixture.client().lock(name).tryAcquire().orElseThrow();
        lease.close();

        assertThat(lease.release()).isFalse();
        assertThat(fixture.client().lock(name).tryAcquire())
                .as("the successor still holds")
                .isEmpty();
        assertThat(next.isHeld()).isTrue();
    }

    @Test
    void secondReleaseDoesNotReleaseASuccessorOfTheSameClient() throws InterruptedException {
        String name = fixture.name();
        Holdfast client = fixture.client();
        Lease lease = client.lock(name).acquire();
        lease.close();
        Lease next = client.lock(name).acquire();

        assertThat(lease.release()).isFalse();
        assertThat(next.isHeld()).isTrue();
        assertThat(fixture.client().lock(name).tryAcquire()).isEmpty();
        assertThat(next.release()).isTrue();
    }

    @Test
    void asyncReleaseFreesTheLock() throws Exception {
        String name = fixture.name();
        Lease lease = fixture.client().lock(name).acquire();

        assertThat(fixture.outcome(lease.releaseAsync())).isTrue();
        assertThat(lease.isHeld()).isFalse();
        assertThat(fixture.outcome(lease.releaseAsync())).isFalse();
        fixture.takeInTheEnd(fixture.client(), name);
    }

    @Test
    void heldLeaseIsRenewedBeyondItsFirstDeadline() throws InterruptedException {
        fixture.needsLeases();
        String name = fixture.name();
        Fixture.Linked linked = fixture.linkedClient();
        Lease lease = linked.client().lock(name, fixture.renewed()).acquire();
        long token = lease.token();
        long deadline = System.nanoTime() + fixture.renewed().leaseTime().toNanos();
        fixture.await().until(() -> System.nanoTime() - deadline > 0);

        assertThat(fixture.client().lock(name).tryAcquire()).isEmpty();
        assertThat(lease.isHeld()).isTrue();
        assertThat(lease.token()).isEqualTo(token);
        assertThat(linked.link().renewals(name)).isPositive();
    }

    @Test
    void manyLeasesAreRenewedTogether() throws InterruptedException {
        fixture.needsLeases();
        Fixture.Linked linked = fixture.linkedClient();
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            leases.add(linked.client().lock(fixture.name(), fixture.renewed()).acquire());
        }
        fixture.await()
                .until(() -> leases.stream().allMatch(lease -> linked.link().renewals(lease.name()) >= 1));

        assertThat(leases).allMatch(Lease::isHeld);
        assertThat(linked.link().calls(Link.Step.RENEW)).as("requests to renew").isLessThan(leases.size());
    }

    @Test
    void renewalStopsWithTheRelease() throws InterruptedException {
        fixture.needsLeases();
        Fixture.Linked linked = fixture.linkedClient();
        String name = fixture.name();
        linked.client().lock(name, fixture.brief()).acquire().close();
        int before = linked.link().renewals(name);
        Lease witness = linked.client().lock(fixture.name(), fixture.renewed()).acquire();
        fixture.await().until(() -> linked.link().renewals(witness.name()) >= 2);

        assertThat(linked.link().renewals(name)).isEqualTo(before);
        assertThat(witness.release()).isTrue();
    }

    @Test
    void lossIsNotToldAfterARelease() throws InterruptedException {
        Queue<LossReason> told = new ConcurrentLinkedQueue<>();
        Holdfast client = fixture.client();
        String name = fixture.name();
        Lease released = client.lock(name).acquire();
        released.onLost(told::add);
        released.close();
        Lease evicted = client.lock(fixture.name(), fixture.renewed()).acquire();
        fixture.observer().evict(name, "nobody holds it");
        fixture.observer().evict(evicted.name(), "somebody holds it");
        fixture.await().until(() -> !evicted.isHeld());
        client.close();

        assertThat(told).isEmpty();
    }

    @Test
    void listenerHearsOfEachAcquireAndRelease() throws InterruptedException {
        Queue<HoldfastEvent> events = new ConcurrentLinkedQueue<>();
        Holdfast client = fixture.client(builder -> builder.listener(events::add));
        String name = fixture.name();
        Lease lease = client.lock(name).acquire();
        assertThat(client.lock(name).tryAcquire()).isEmpty();
        lease.close();

        fixture.await().until(() -> events.size() >= 3);
        assertThat(List.copyOf(events)).allMatch(event -> event.lockName().equals(name));
        assertThat(events)
                .hasAtLeastOneElementOfType(HoldfastEvent.Acquired.class)
                .hasAtLeastOneElementOfType(HoldfastEvent.NotAcquired.class)
                .hasAtLeastOneElementOfType(HoldfastEvent.Released.class);
    }

    @Test
    void unreachableLeaseIsReleasedAndReported() throws InterruptedException {
        Queue<HoldfastEvent> events = new ConcurrentLinkedQueue<>();
        Holdfast client = fixture.client(builder -> builder.listener(events::add));
        String name = fixture.name();
        long token = takeAndForget(client, name);
        fixture.await().untilAsserted(() -> {
            System.gc();
            assertThat(List.copyOf(events)).hasAtLeastOneElementOfType(HoldfastEvent.Leaked.class);
        });

        assertThat(events)
                .filteredOn(HoldfastEvent.Leaked.class::isInstance)
                .singleElement()
                .isInstanceOfSatisfying(HoldfastEvent.Leaked.class, leak -> {
                    assertThat(leak.lockName()).isEqualTo(name);
                    assertThat(leak.token()).isEqualTo(token);
                });
        assertThat(fixture.takeInTheEnd(fixture.client(), name)).isGreaterThan(token);
    }

    private static long takeAndForget(Holdfast client, String name) throws InterruptedException {
        return client.lock(name).acquire().token();
    }
}
