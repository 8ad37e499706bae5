package dev.holdfast.redis;

import static org.awaitility.Awaitility.await;

import dev.holdfast.rig.redis.RedisError;
import dev.holdfast.rig.redis.RedisNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import org.awaitility.core.ConditionTimeoutException;
import redis.clients.jedis.util.JedisClusterCRC16;

/** Moves slots from one master to the next, key by key and in any order, as resharding does it. Used by one thread. */
final class SlotMover {
    private static final int KEYS_AT_ONCE = 100;

    /** Much less than a lease: a slot that no master takes for its own serves nobody. */
    private static final Duration LONGEST_DISPUTE = Duration.ofSeconds(1);

    private static final int MOST_DISPUTES = 30;
    private static final int NONE = -1;

    private final List<RedisNode> masters;
    private final List<String> ids;
    private final Random random = new Random(1);

    /** Where the slots are that were moved. */
    private final Map<Integer, Integer> owners = new HashMap<>();

    private int last = NONE;
    private long keys;
    private int disputes;

    /** Moves between these masters, which stay masters all the time. */
    SlotMover(List<RedisNode> masters) {
        this.masters = masters;
        this.ids = masters.stream()
                .map(master -> String.valueOf(master.ask("CLUSTER", "MYID")))
                .toList();
    }

    static int slotOf(String name) {
        return JedisClusterCRC16.getSlot("holdfast:{" + name + "}");
    }

    /** {@return how many keys were moved} */
    long keys() {
        return keys;
    }

    /** {@return how often the masters did not agree with each other about whose a slot is, until they were told again} */
    int disputes() {
        return disputes;
    }

    /** What else happens in the middle of a move. */
    interface Disturbance {
        void between(RedisNode source, RedisNode target) throws InterruptedException;
    }

    /** Moves a slot to another master; returns which. */
    int move(int slotNumber, int from, Disturbance disturbance) throws InterruptedException {
        int to = next(from);
        owners.put(slotNumber, from);
        String slot = Integer.toString(slotNumber);
        RedisNode source = masters.get(from);
        RedisNode target = masters.get(to);
        target.ask("CLUSTER", "SETSLOT", slot, "IMPORTING", ids.get(from));
        source.ask("CLUSTER", "SETSLOT", slot, "MIGRATING", ids.get(to));
        for (List<String> left = keysIn(source, slot); !left.isEmpty(); left = keysIn(source, slot)) {
            for (String key : left) {
                // One that has gone by itself in the meantime is answered with NOKEY; one that is at both places is an
                // error.
                source.ask("MIGRATE", "127.0.0.1", Integer.toString(target.port()), key, "0", "5000");
                keys++;
                disturbance.between(source, target);
            }
        }
        awaitAgreement(slotNumber);
        owners.put(slotNumber, to);
        List<RedisNode> inOrder = new ArrayList<>(List.of(target, source));
        masters.stream().filter(each -> !inOrder.contains(each)).forEach(inOrder::add);
        inOrder.forEach(each -> own(each, slot, ids.get(to)));
        awaitAgreement(NONE);
        return to;
    }

    /**
     * Waits until all masters tell the same of each other. Their messages overtake each other: a belated one of an owner before
     * the last may take a slot back, for nobody, when it was told to all and they had agreed. Whoever hears it holds on to it if
     * its epoch is not smaller. Then all are told again and the owner takes a larger epoch, as tools that mend clusters do it.
     *
     * @param moving the slot that is between two masters, which is told to all afterwards
     */
    private void awaitAgreement(int moving) {
        ConditionTimeoutException undecided = null;
        for (int i = 0; i < MOST_DISPUTES; i++) {
            try {
                await().atMost(LONGEST_DISPUTE)
                        .pollInterval(Duration.ofMillis(10))
                        .until(this::agree);
                return;
            } catch (ConditionTimeoutException disagreement) {
                undecided = disagreement;
                disputes++;
                owners.forEach((slot, owner) -> {
                    if (slot != moving) {
                        tellAgain(slot, owner);
                    }
                });
            }
        }
        String views = masters.stream()
                .map(master -> master.port() + " says:\n" + master.ask("CLUSTER", "NODES"))
                .collect(Collectors.joining("\n"));
        throw new IllegalStateException("the masters do not agree with each other\n" + views, undecided);
    }

    private void tellAgain(int slot, int owner) {
        RedisNode first = masters.get(owner);
        own(first, Integer.toString(slot), ids.get(owner));
        masters.stream()
                .filter(each -> each != first)
                .forEach(each -> own(each, Integer.toString(slot), ids.get(owner)));
        first.ask("CLUSTER", "BUMPEPOCH");
    }

    private boolean agree() {
        return masters.stream().map(SlotMover::view).distinct().count() == 1;
    }

    /**
     * Whoever took the last slot has the largest epoch, and would take another one without a larger: then a belated message of
     * an owner before it may win in the eyes of the third.
     */
    private int next(int from) {
        List<Integer> others = new ArrayList<>();
        for (int i = 0; i < masters.size(); i++) {
            if (i != from && i != last) {
                others.add(i);
            }
        }
        last = others.get(random.nextInt(others.size()));
        return last;
    }

    /** {@return the masters as one of them knows them: id, configuration epoch and slots} */
    private static List<String> view(RedisNode master) {
        return String.valueOf(master.ask("CLUSTER", "NODES"))
                .lines()
                .map(line -> List.of(line.split(" ", -1)))
                .filter(fields -> fields.get(2).contains("master"))
                .map(fields -> fields.get(0) + " " + fields.get(6) + " " + slots(fields.subList(8, fields.size())))
                .sorted()
                .toList();
    }

    /** Slots on the move stand in brackets, and only where they leave or arrive. */
    private static List<String> slots(List<String> ranges) {
        return ranges.stream().filter(range -> !range.startsWith("[")).toList();
    }

    private static void own(RedisNode node, String slot, String owner) {
        try {
            node.ask("CLUSTER", "SETSLOT", slot, "NODE", owner);
        } catch (RedisError keysAreLeft) {
            throw new IllegalStateException("the slot cannot be given away by " + node.port(), keysAreLeft);
        }
    }

    private List<String> keysIn(RedisNode source, String slot) {
        List<String> keysThere = new ArrayList<>();
        if (source.ask("CLUSTER", "GETKEYSINSLOT", slot, Integer.toString(KEYS_AT_ONCE)) instanceof List<?> all) {
            all.forEach(key -> keysThere.add(String.valueOf(key)));
        }
        Collections.shuffle(keysThere, random);
        return keysThere;
    }
}
