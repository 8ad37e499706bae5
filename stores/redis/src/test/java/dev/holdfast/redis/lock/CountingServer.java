package dev.holdfast.redis.lock;

import dev.holdfast.redis.wire.Exchange;
import dev.holdfast.redis.wire.Listening;
import dev.holdfast.redis.wire.Server;
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
    public Listening listen() {
        return server.listen();
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
