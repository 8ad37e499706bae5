package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.LossReason;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.etcd.EtcdNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What somebody else's hand, or the upkeep of the server, does to locks that are in use. */
final class HandsTest {
    @RegisterExtension
    static final Rig rig = new Rig();

    private static EtcdNode node;
    private static Keys keys;

    private final List<Holdfast> clients = new ArrayList<>();

    @BeforeAll
    static void start() throws InterruptedException {
        node = EtcdNode.start(rig);
        keys = new Keys(node, "hands");
    }

    @AfterEach
    void close() {
        clients.forEach(Holdfast::close);
    }

    private Holdfast client() {
        Holdfast client = Holdfast.connect("etcd://" + node.address() + "/hands#session=4s");
        clients.add(client);
        return client;
    }

    /** Waits until so many stand in line. */
    private static List<Keys.Entry> untilLine(String name, int length) {
        await().atMost(Soon.PATIENCE).until(() -> keys.line(name).size() == length);
        return keys.line(name);
    }

    @Test
    void waiterWhoseKeyIsDeletedIsNotGrantedBesideTheNextInLine() throws InterruptedException {
        String name = "deleted-waiter";
        Lease first = client().lock(name).acquire();
        CompletableFuture<Lease> second = client().lock(name).acquireAsync();
        Keys.Entry waiting = untilLine(name, 2).get(1);
        CompletableFuture<Lease> third = client().lock(name).acquireAsync();
        untilLine(name, 3);

        keys.delete(waiting);
        // It enters the line again, at its end.
        await().atMost(Soon.PATIENCE).until(() -> keys.line(name).size() == 3 || second.isDone());
        first.close();
        Lease next = Soon.get(third);
        assertThat(second).isNotDone();
        next.close();
        Soon.get(second).close();
    }

    @Test
    void waiterWhoseKeyIsDeletedInTheMomentOfTheReleaseIsNotGrantedBesideTheNext() throws InterruptedException {
        Holdfast holder = client();
        Holdfast waiter = client();
        Holdfast behind = client();
        for (int round = 0; round < 20; round++) {
            String name = "race-" + round;
            Lease first = holder.lock(name).acquire();
            CompletableFuture<Lease> second = waiter.lock(name).acquireAsync();
            Keys.Entry waiting = untilLine(name, 2).get(1);
            CompletableFuture<Lease> third = behind.lock(name).acquireAsync();
            untilLine(name, 3);

            CompletableFuture<Void> deleted = CompletableFuture.runAsync(() -> keys.delete(waiting));
            first.close();
            Soon.get(deleted);
            Lease next = Soon.get(third);
            // Whoever was granted before its key was deleted is told so; nobody else holds.
            await().atMost(Soon.PATIENCE)
                    .until(() -> !second.isDone() || !second.join().isHeld());
            assertThat(next.isHeld()).isTrue();
            next.close();
        }
    }

    @Test
    void waiterBehindADeletedWaiterGoesOnWaitingForTheHolder() throws InterruptedException {
        String name = "deleted-between";
        Lease first = client().lock(name).acquire();
        Holdfast leaving = client();
        CompletableFuture<Lease> second = leaving.lock(name).acquireAsync();
        Keys.Entry waiting = untilLine(name, 2).get(1);
        CompletableFuture<Lease> third = client().lock(name).acquireAsync();
        untilLine(name, 3);

        keys.delete(waiting);
        assertThat(client().lock(name).tryAcquire(Duration.ofMillis(300))).isEmpty();
        assertThat(third).isNotDone();
        assertThat(first.isHeld()).isTrue();
        first.close();
        Soon.get(third).close();
        Soon.get(second).close();
    }

    @Test
    void holderWhoseKeyIsDeletedIsTold() throws InterruptedException {
        String name = "deleted-holder";
        Lease lease = client().lock(name).acquire();
        CompletableFuture<LossReason> told = new CompletableFuture<>();
        lease.onLost(told::complete);
        // Its watch is set after some milliseconds; without it the next renewal would tell.
        keys.delete(untilLine(name, 1).get(0));
        assertThat(Soon.get(told)).isEqualTo(LossReason.EVICTED);
        client().lock(name).acquire().close();
    }

    @Test
    void endOfTheSessionIsTheEndOfItsLeasesAndTheClientGoesOn() throws InterruptedException {
        String name = "revoked";
        Holdfast client = client();
        Lease lease = client.lock(name, LockOptions.defaults()).acquire();
        CompletableFuture<LossReason> told = new CompletableFuture<>();
        lease.onLost(told::complete);
        CompletableFuture<Lease> waiting = client().lock(name).acquireAsync();
        keys.revoke(untilLine(name, 2).get(0));

        Lease next = Soon.get(waiting);
        assertThat(Soon.get(told)).isIn(LossReason.SESSION_LOST, LossReason.EVICTED);
        assertThat(next.token()).isGreaterThan(lease.token());
        next.close();
        try (Lease again = client.lock(name).acquire()) {
            assertThat(again.token()).isGreaterThan(next.token());
        }
    }

    @Test
    void compactionAndDefragmentationDisturbNobody() throws InterruptedException {
        String name = "upkeep";
        Holdfast one = client();
        Holdfast other = client();
        for (int round = 0; round < 5; round++) {
            Lease lease = one.lock(name).acquire();
            CompletableFuture<Lease> next = other.lock(name).acquireAsync();
            untilLine(name, 2);
            node.compact();
            node.defragment();
            assertThat(lease.isHeld()).isTrue();
            lease.close();
            Soon.get(next).close();
        }
    }
}
