package dev.holdfast.redis.topology;

import dev.holdfast.redis.wire.Server;
import java.util.List;
import redis.clients.jedis.exceptions.JedisRedirectionException;

/** A single server. */
public final class OneServer implements Deployment {
    private final Server server;
    private final Route route;

    public OneServer(Server server) {
        this.server = server;
        this.route = new Route(server, 0);
    }

    @Override
    public boolean isCluster() {
        return false;
    }

    @Override
    public Route routeTo(byte[] key) {
        return route;
    }

    @Override
    public List<Server> masters() {
        return List.of(server);
    }

    @Override
    public Server listeningPost() {
        return server;
    }

    @Override
    public boolean isListeningPost(Server post) {
        return true;
    }

    @Override
    public Server follow(JedisRedirectionException redirection) {
        throw redirection;
    }

    @Override
    public void suspect(Server suspected) {
        // There is no other.
    }

    @Override
    public void beat() {
        // There is nothing to look for.
    }

    @Override
    public String failover() {
        return "one server: a restart keeps what its persistence kept; locks that it lost are told lost at the next"
                + " renewal, and may be granted to others before that; tokens still grow, by the server's clock";
    }

    @Override
    public void close() {
        server.close();
    }
}
