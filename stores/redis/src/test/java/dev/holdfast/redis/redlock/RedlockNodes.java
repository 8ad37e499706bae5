package dev.holdfast.redis.redlock;

import dev.holdfast.redis.BareClient;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.proxy.FaultProxy;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.rig.redis.RedisSettings;
import dev.holdfast.spi.StoreUri;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Independent real nodes, each with a network before it that can go wrong. Used by one thread at a time. */
final class RedlockNodes {
    /** Generous, so that a busy machine does not look like a dead node; and the nodes have never been used. */
    static final String CALM = "fresh=true&nodeTimeout=2s";

    /** So long is the record of a name that nobody holds, at most. */
    static final int FREE_BYTES = 18;

    private final List<RedisNode> nodes;
    private final List<FaultProxy> networks = new ArrayList<>();

    private RedlockNodes(Rig rig, List<RedisNode> nodes) {
        this.nodes = nodes;
        nodes.forEach(node -> networks.add(FaultProxy.before(rig, node.port())));
    }

    static RedlockNodes start(Rig rig, int count) throws InterruptedException {
        return new RedlockNodes(rig, RedisNode.startSeveral(rig, count, RedisSettings.defaults()));
    }

    static RedlockNodes start(Rig rig, int count, RedisSettings settings) throws InterruptedException {
        return new RedlockNodes(rig, RedisNode.startSeveral(rig, count, settings));
    }

    static RedlockNodes startDurable(Rig rig, int count) throws InterruptedException {
        return new RedlockNodes(
                rig, RedisNode.startSeveral(rig, count, RedisSettings.defaults().withDurability()));
    }

    RedisNode node(int index) {
        return nodes.get(index);
    }

    FaultProxy network(int index) {
        return networks.get(index);
    }

    /** {@return how long the record of a name is on a node; more than {@link #FREE_BYTES} if somebody holds it there} */
    long lengthOf(int index, String name) {
        return nodes.get(index).ask("STRLEN", "holdfast:rl:{" + name + "}") instanceof Long length ? length : 0;
    }

    int count() {
        return nodes.size();
    }

    /** {@return where the nodes are, without a network in between} */
    String url(String options) {
        return url(index -> nodes.get(index).port(), options);
    }

    /** {@return where they are behind their networks} */
    String urlBehindNetworks(String options) {
        return url(index -> networks.get(index).port(), options);
    }

    /** {@return a client that reaches some of the nodes only} */
    BareClient reaching(List<Integer> reached, String options, RedlockRules rules) {
        return open(
                url(
                        // Port 1 refuses connections.
                        index -> reached.contains(index) ? nodes.get(index).port() : refusing(index),
                        options),
                rules);
    }

    /** {@return a client that reaches all of them} */
    BareClient client(String options) {
        return open(url(options), RedlockRules.sound());
    }

    static BareClient open(String url, RedlockRules rules) {
        return new BareClient(context -> RedlockStore.open(StoreUri.parse(url, Map.of(), null), context, rules));
    }

    static RedlockStore storeOf(BareClient client) {
        return (RedlockStore) client.store();
    }

    void heal() {
        networks.forEach(FaultProxy::heal);
    }

    private static int refusing(int index) {
        return index + 1;
    }

    private String url(IntFunction<Integer> port, String options) {
        return IntStream.range(0, nodes.size())
                .mapToObj(index -> "127.0.0.1:" + port.apply(index))
                .collect(Collectors.joining(",", "redlock://", "#" + options));
    }
}
