package dev.holdfast.jdbc;

import dev.holdfast.HoldfastBuilder;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.database.DatabaseServer;
import dev.holdfast.rig.proxy.Direction;
import dev.holdfast.rig.proxy.FaultProxy;
import dev.holdfast.tck.Outages;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/** Outages of a database server behind a proxy. Used by one thread at a time. */
final class DatabaseOutages implements Outages {
    private static final String ONE_SERVER = "there is one server";

    private final DatabaseServer server;
    private final FaultProxy proxy;
    private final String options;

    DatabaseOutages(Rig rig, DatabaseServer server, String options) {
        this.server = server;
        this.proxy = FaultProxy.before(rig, server.port());
        this.options = options;
    }

    /** {@return where clients are that do not suffer} */
    String url() {
        return server.access().jdbcUrlWithCredentials() + options;
    }

    @Override
    public HoldfastBuilder connect(HoldfastBuilder client) {
        return client.url(server.accessThrough(proxy.port()).jdbcUrlWithCredentials() + options);
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
    public void end() throws InterruptedException {
        if (!server.server().isRunning()) {
            server.start();
        }
        proxy.heal();
    }

    @Override
    public Map<Fault, String> impossible() {
        return Map.of(
                Fault.PARTLY_SILENT,
                ONE_SERVER,
                Fault.FAILED_OVER,
                ONE_SERVER,
                Fault.READS_ONLY,
                "the user of the tests may write whatever the server is set to");
    }
}
