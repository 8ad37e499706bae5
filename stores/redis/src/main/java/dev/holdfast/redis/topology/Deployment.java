package dev.holdfast.redis.topology;

import dev.holdfast.redis.wire.BrokenExchange;
import dev.holdfast.redis.wire.Call;
import dev.holdfast.redis.wire.Deadline;
import dev.holdfast.redis.wire.Redirection;
import dev.holdfast.redis.wire.Server;
import dev.holdfast.redis.wire.ServerRefusal;
import java.util.List;

/** Which server answers for which key: one for all, or a cluster's. Thread-safe. */
public interface Deployment extends AutoCloseable {
    /** {@return whether keys are spread over several servers} */
    boolean isCluster();

    /** {@return a call that can be sent to any server of this deployment, with its stamp if they replace each other} */
    default Call stamp(Call call) {
        return call;
    }

    /**
     * Finds the server for a key.
     *
     * @throws BrokenExchange if nobody can tell now
     * @throws ServerRefusal if whoever could tell refuses
     */
    Route routeTo(byte[] key, Deadline deadline);

    /**
     * Lists every server that keys are on.
     *
     * @throws BrokenExchange if nobody can tell now
     */
    List<Server> masters(Deadline deadline);

    /**
     * Finds a server to listen at.
     *
     * @throws BrokenExchange if nobody can tell now
     */
    Server listeningPost(Deadline deadline);

    /** {@return whether to go on listening at a server} */
    boolean isListeningPost(Server server);

    /** {@return the server that another one sent us to} */
    Server follow(Redirection redirection, Server asked, Deadline deadline);

    /** Notes that a server does not answer, or not as a master: the next question who answers is asked anew. */
    void suspect(Server server);

    /** Notes that a server was reached which is not a master, or not any more. */
    default void demoted(Server server) {
        suspect(server);
    }

    /** Looks around, from time to time. */
    void beat();

    /** {@return in one sentence, what holds in a failover} */
    String failover();

    @Override
    void close();
}
