package dev.holdfast.redis.topology;

import dev.holdfast.redis.wire.Deadline;
import dev.holdfast.redis.wire.Redirection;
import dev.holdfast.redis.wire.Server;
import java.util.List;

/** The master of sentinels whom the program's own client asks: who it is, is that client's business. Thread-safe. */
public final class LentSentinel implements Deployment {
    private final OneServer master;

    public LentSentinel(Server master) {
        this.master = new OneServer(master);
    }

    @Override
    public boolean isCluster() {
        return false;
    }

    @Override
    public Route routeTo(byte[] key, Deadline deadline) {
        return master.routeTo(key, deadline);
    }

    @Override
    public List<Server> masters(Deadline deadline) {
        return master.masters(deadline);
    }

    @Override
    public Server listeningPost(Deadline deadline) {
        return master.listeningPost(deadline);
    }

    @Override
    public boolean isListeningPost(Server server) {
        return master.isListeningPost(server);
    }

    @Override
    public Server follow(Redirection redirection, Server asked, Deadline deadline) {
        return master.follow(redirection, asked, deadline);
    }

    @Override
    public void suspect(Server server) {
        master.suspect(server);
    }

    @Override
    public void demoted(Server server) {
        master.demoted(server);
    }

    @Override
    public void beat() {
        master.beat();
    }

    @Override
    public String failover() {
        return "Sentinel, through the program's own client: a failover loses what the new master had not received, so a"
                + " lock may be granted while its holder still counts on it, until the holder's next renewal; tokens"
                + " still grow, as long as the new master's clock is not behind the old one's by more than the failover"
                + " took";
    }

    @Override
    public void close() {
        master.close();
    }
}
