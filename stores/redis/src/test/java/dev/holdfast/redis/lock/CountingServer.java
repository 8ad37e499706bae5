package dev.holdfast.redis.lock;

import dev.holdfast.redis.wire.Exchange;
import dev.holdfast.redis.wire.Server;
import dev.holdfast.redis.wire.ServerConnection;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts round trips to a server. Thread-safe. */
final class CountingServer implements Server {
    private final Server server;
    private final AtomicInteger roundTrips = new AtomicInteger();

    CountingServer(Server server) {
        this.server = server;
    }

    int roundTrips() {
        return roundTrips.get();
    }

    @Override
    public void carry(Exchange exchange) {
        roundTrips.incrementAndGet();
        server.carry(exchange);
    }

    @Override
    public ServerConnection listen() {
        return server.listen();
    }

    @Override
    public void hangUp(ServerConnection line) {
        server.hangUp(line);
    }

    @Override
    public void forgetIdle() {
        server.forgetIdle();
    }

    @Override
    public String where() {
        return server.where();
    }

    @Override
    public void close() {
        server.close();
    }
}
