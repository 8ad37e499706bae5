package dev.holdfast.rig.redis;

import java.util.List;
import java.util.Optional;

/** A slot on its way from one master of a cluster to another one, key by key. Used by one thread at a time. */
public final class SlotMove {
    private static final int KEYS_AT_ONCE = 100;
    private static final String PATIENCE_MILLIS = "5000";

    private final RedisCluster cluster;
    private final RedisNode source;
    private final RedisNode target;
    private final String slot;

    private SlotMove(RedisCluster cluster, RedisNode source, RedisNode target, String slot) {
        this.cluster = cluster;
        this.source = source;
        this.target = target;
        this.slot = slot;
    }

    static Optional<SlotMove> begin(RedisCluster cluster, RedisNode source, RedisNode target) {
        if (!(source.ask("RANDOMKEY") instanceof String key)) {
            return Optional.empty();
        }
        SlotMove move = new SlotMove(cluster, source, target, String.valueOf(source.ask("CLUSTER", "KEYSLOT", key)));
        target.ask("CLUSTER", "SETSLOT", move.slot, "IMPORTING", id(source));
        source.ask("CLUSTER", "SETSLOT", move.slot, "MIGRATING", id(target));
        return Optional.of(move);
    }

    /**
     * Moves some of the keys that are there now.
     *
     * @param most how many at the most
     */
    public void keys(int most) {
        keysThere().stream().limit(most).forEach(this::move);
    }

    /**
     * Moves what is left, and gives the slot to the target.
     *
     * @throws InterruptedException if interrupted
     */
    public void finish() throws InterruptedException {
        for (List<?> keys = keysThere(); !keys.isEmpty(); keys = keysThere()) {
            keys.forEach(this::move);
        }
        own(target);
        own(source);
        cluster.nodes().stream()
                .filter(each ->
                        each != target && each != source && each.server().isRunning())
                .filter(each -> String.valueOf(each.ask("ROLE")).contains("master"))
                .forEach(this::own);
        // Messages of the owner before are worth less than those of a larger epoch, however late they come.
        target.ask("CLUSTER", "BUMPEPOCH");
        cluster.awaitSettled();
    }

    private void own(RedisNode node) {
        node.ask("CLUSTER", "SETSLOT", slot, "NODE", id(target));
    }

    private List<?> keysThere() {
        return source.ask("CLUSTER", "GETKEYSINSLOT", slot, Integer.toString(KEYS_AT_ONCE)) instanceof List<?> keys
                ? keys
                : List.of();
    }

    private void move(Object key) {
        source.ask("MIGRATE", "127.0.0.1", Integer.toString(target.port()), String.valueOf(key), "0", PATIENCE_MILLIS);
    }

    private static String id(RedisNode node) {
        return String.valueOf(node.ask("CLUSTER", "MYID"));
    }
}
