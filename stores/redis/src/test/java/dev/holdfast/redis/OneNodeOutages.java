package dev.holdfast.redis;

import dev.holdfast.HoldfastBuilder;
import dev.holdfast.rig.proxy.Direction;
import dev.holdfast.rig.proxy.FaultProxy;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.tck.Outages;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/** Outages of one Redis server behind a proxy. Used by one thread at a time. */
final class OneNodeOutages implements Outages {
    private static final String ONE_SERVER = "there is one server";

    private final RedisNode node;
    private final FaultProxy proxy;
    private boolean killed;

    OneNodeOutages(RedisNode node, FaultProxy proxy) {
        this.node = node;
        this.proxy = proxy;
    }

    @Override
    public HoldfastBuilder connect(HoldfastBuilder client) {
        return client.url("redis://127.0.0.1:" + proxy.port());
    }

    @Override
    public void begin(Fault fault) throws InterruptedException {
        switch (fault) {
            case SILENT -> proxy.blackHole(Direction.TO_SERVER, Direction.TO_CLIENT);
            case REFUSED -> {
                proxy.refuse();
                proxy.cut();
            }
            case RESET -> {
                // Some before the server has heard of it, the others before the client hears of what was done.
                proxy.resetOn(
                        Direction.TO_SERVER,
                        Integer.MAX_VALUE,
                        request -> ThreadLocalRandom.current().nextBoolean());
                proxy.resetOn(Direction.TO_CLIENT, Integer.MAX_VALUE, reply -> true);
                proxy.reset();
            }
            case SLOW -> proxy.delay(SLOWNESS.dividedBy(2));
            case REPLIES_LOST -> proxy.blackHole(Direction.TO_CLIENT);
            case CONNECTIONS_DEAD -> proxy.abandon();
            case RESTARTED -> {
                killed = true;
                node.kill();
            }
            case PARTLY_SILENT, FAILED_OVER, READS_ONLY -> throw new IllegalArgumentException(fault.explanation());
        }
    }

    @Override
    public void end() throws InterruptedException {
        if (killed) {
            killed = false;
            node.start();
        }
        proxy.heal();
    }

    @Override
    public Map<Fault, String> impossible() {
        return Map.of(
                Fault.PARTLY_SILENT, ONE_SERVER,
                Fault.FAILED_OVER, ONE_SERVER,
                Fault.READS_ONLY, "a replica truly says that a lock is taken; EndpointsTest has what it refuses");
    }
}
