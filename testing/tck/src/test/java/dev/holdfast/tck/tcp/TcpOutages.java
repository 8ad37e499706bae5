package dev.holdfast.tck.tcp;

import dev.holdfast.HoldfastBuilder;
import dev.holdfast.rig.proxy.Direction;
import dev.holdfast.rig.proxy.FaultProxy;
import dev.holdfast.tck.Outages;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/** Outages of a lock server behind a proxy. Used by one thread at a time. */
public final class TcpOutages implements Outages {
    private static final String ONE_SERVER = "there is one server";

    private final ServerProcess server;
    private final FaultProxy proxy;

    /** Breaks a server and the proxy before it. */
    public TcpOutages(ServerProcess server, FaultProxy proxy) {
        this.server = server;
        this.proxy = proxy;
    }

    @Override
    public HoldfastBuilder connect(HoldfastBuilder client) {
        return client.url(ServerProcess.urlOf(proxy.port()));
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
            case RESTARTED -> server.kill();
            case PARTLY_SILENT, FAILED_OVER, READS_ONLY -> throw new IllegalArgumentException(fault.explanation());
        }
    }

    @Override
    public void end() throws Exception {
        server.startAgain();
        proxy.heal();
    }

    @Override
    public Map<Fault, String> impossible() {
        return Map.of(
                Fault.PARTLY_SILENT, ONE_SERVER,
                Fault.FAILED_OVER, ONE_SERVER,
                Fault.READS_ONLY, "the test server does not know this state");
    }
}
