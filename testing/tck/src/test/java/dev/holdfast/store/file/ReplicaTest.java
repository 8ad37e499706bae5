package dev.holdfast.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.LockKind;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.store.table.TableImage;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** All processes must come to the same table from the same entries, whatever each of them has seen before. */
final class ReplicaTest {
    private static final long FIRST_EPOCH = 1_000;
    private static final int CROWD = 1_000;
    private static final int NAMES = 20;
    private static final int ENTRIES = 4_000;
    private static final int CLIENTS = 12;
    private static final int MOST_OWNERS = 40;
    private static final int REMAKE_ONE_IN = 100;
    private static final int CAPACITY = 3;
    private static final long SEED = 7;

    private final Random random = new Random(SEED);
    private final List<OwnerId> owners = new ArrayList<>();
    private long now = 1;

    @Test
    void replicaMadeFromASnapshotGrantsTheSameEpochsAsOneThatLivedThroughItAll() {
        Replica old = fresh();
        IntStream.range(0, CROWD).forEach(i -> old.apply(claimed("crowd", part("crowd-" + i))));
        old.apply(new Entry.Gone(++now, "crowd"));
        IntStream.range(0, NAMES).forEach(i -> old.apply(claimed("holder", part("name-" + i))));
        IntStream.range(0, NAMES).forEach(i -> old.apply(claimed("waiter-" + i, part("name-" + i))));
        Replica young = copyOf(old);

        Entry gone = new Entry.Gone(++now, "holder");
        old.apply(gone);
        young.apply(gone);

        for (int i = 0; i < NAMES; i++) {
            assertThat(epochs(young, "waiter-" + i))
                    .as("what waiter %d was granted", i)
                    .hasSize(1)
                    .isEqualTo(epochs(old, "waiter-" + i));
        }
    }

    @Test
    void evictionOfHoldersThatWereNotGrantedInOrderOfArrivalIsTheSameInACopy() {
        Replica old = fresh();
        Claim.Part permit = new Claim.Part("permits", LockKind.SEMAPHORE, 1, CAPACITY);
        old.apply(claimed("blocker", part("a")));
        old.apply(claimed("early", permit, part("a")));
        old.apply(claimed("late", permit, part("b")));
        old.apply(new Entry.Gone(++now, "blocker"));
        old.apply(claimed("waits-for-a", part("a")));
        old.apply(claimed("waits-for-b", part("b")));
        Replica young = copyOf(old);

        Entry evicted = new Entry.Evicted(++now, "permits", OptionalLong.empty(), "somebody", "why not");
        old.apply(evicted);
        young.apply(evicted);

        assertThat(epochs(old, "waits-for-a")).hasSize(1).isEqualTo(epochs(young, "waits-for-a"));
        assertThat(epochs(old, "waits-for-b")).hasSize(1).isEqualTo(epochs(young, "waits-for-b"));
    }

    @Test
    void replicasThatWereMadeAtDifferentTimesAgreeAfterEveryEntry() {
        List<Replica> replicas = new ArrayList<>(List.of(fresh(), fresh(), fresh()));
        for (int i = 0; i < ENTRIES; i++) {
            Entry entry = anyEntry(replicas.get(0));
            replicas.forEach(replica -> replica.apply(entry));
            List<Object> first = factsOf(replicas.get(0));
            assertThat(replicas)
                    .as("after entry %d, %s", i, entry)
                    .allSatisfy(other -> assertThat(factsOf(other)).isEqualTo(first));
            if (random.nextInt(REMAKE_ONE_IN) == 0) {
                replicas.set(1 + random.nextInt(2), copyOf(replicas.get(random.nextInt(3))));
            }
        }
    }

    private static Replica fresh() {
        Replica replica = new Replica();
        replica.apply(new Entry.Snapshot(1, 0, FIRST_EPOCH, new TableImage<>(0, List.of(), List.of())));
        return replica;
    }

    /** As another process would make it: through the bytes of the journal. */
    private static Replica copyOf(Replica replica) {
        Replica copy = new Replica();
        try {
            copy.apply(EntryCodec.read(EntryCodec.write(replica.snapshot())));
        } catch (IOException impossible) {
            throw new AssertionError(impossible);
        }
        return copy;
    }

    /** Everything that has to be equal; arrivals are not numbered alike, but come in the same order. */
    private static List<Object> factsOf(Replica replica) {
        List<Object> facts = new ArrayList<>(List.of(replica.sequence(), replica.epoch()));
        replica.table().image().claims().forEach(live -> {
            facts.add(live.claim().owner());
            facts.add(live.client());
            facts.add(live.epochs());
        });
        return facts;
    }

    private Entry anyEntry(Replica replica) {
        String client = "client-" + random.nextInt(CLIENTS);
        switch (random.nextInt(10)) {
            case 0 -> {
                return new Entry.Gone(++now, client);
            }
            case 1 -> {
                String name = "name-" + random.nextInt(NAMES);
                OptionalLong epoch = random.nextBoolean()
                        ? OptionalLong.empty()
                        : replica.table().heldBy(client, now).stream()
                                .filter(grant -> grant.name().equals(name))
                                .mapToLong(Grant::epoch)
                                .findFirst();
                return new Entry.Evicted(++now, name, epoch, client, "why not");
            }
            case 2 -> {
                return new Entry.Ended(++now, anyOwner());
            }
            case 3, 4 -> {
                List<Grant> held = replica.table().heldBy(client, now);
                return held.isEmpty()
                        ? new Entry.Ended(++now, anyOwner())
                        : new Entry.Released(++now, held.get(random.nextInt(held.size())));
            }
            default -> {
                Claim.Part one = anyPart();
                Claim.Part two = anyPart();
                return one.name().equals(two.name()) ? claimed(client, one) : claimed(client, one, two);
            }
        }
    }

    /** The kind of a name is always the same. */
    private Claim.Part anyPart() {
        int name = random.nextInt(NAMES);
        return name % 2 == 0
                ? part("name-" + name)
                : new Claim.Part("name-" + name, LockKind.SEMAPHORE, 1 + random.nextInt(CAPACITY), CAPACITY);
    }

    private OwnerId anyOwner() {
        return owners.isEmpty() ? new OwnerId(1, 1) : owners.get(random.nextInt(owners.size()));
    }

    private static Claim.Part part(String name) {
        return new Claim.Part(name, LockKind.EXCLUSIVE, 1, 1);
    }

    private List<Long> epochs(Replica replica, String client) {
        return replica.table().heldBy(client, now).stream().map(Grant::epoch).toList();
    }

    private Entry claimed(String client, Claim.Part... parts) {
        OwnerId owner = new OwnerId(random.nextLong(), random.nextLong());
        owners.add(owner);
        if (owners.size() > MOST_OWNERS) {
            owners.remove(0);
        }
        Claim claim = new Claim(List.of(parts), owner, Duration.ofSeconds(30), new Claim.HolderInfo(client, ""), true);
        return new Entry.Claimed(++now, client, claim);
    }
}
