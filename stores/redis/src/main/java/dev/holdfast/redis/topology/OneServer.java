package dev.holdfast.redis.topology;

import dev.holdfast.redis.wire.Deadline;
import dev.holdfast.redis.wire.Redirection;
import dev.holdfast.redis.wire.Server;
import java.util.List;

/** A single server. */
public final class OneServer implements Deployment {
    private final Server server;
    private final Route route;

    /** The name leads to another server by now, so that it is to be found anew for listening too. */
    private volatile boolean demoted;

    public OneServer(Server server) {
        this.server = server;
        this.route = new Route(server, 0);
    }

    @Override
    public boolean isCluster() {
        return false;
    }

    @Override
    public Route routeTo(byte[] key, Deadline deadline) {
        return route;
    }

    @Override
    public List<Server> masters(Deadline deadline) {
        return List.of(server);
    }

    @Override
    public Server listeningPost(Deadline deadline) {
        demoted = false;
        return server;
    }

    @Override
    public boolean isListeningPost(Server post) {
        return !demoted;
    }

    @Override
    public Server follow(Redirection redirection, Server asked, Deadline deadline) {
        throw redirection;
    }

    @Override
    public void suspect(Server suspected) {
        // There is no other.
    }

    @Override
    public void demoted(Server replica) {
        demoted = true;
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
