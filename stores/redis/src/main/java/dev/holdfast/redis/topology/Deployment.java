package dev.holdfast.redis.topology;

import dev.holdfast.redis.wire.BrokenExchange;
import dev.holdfast.redis.wire.Call;
import dev.holdfast.redis.wire.Server;
import java.util.List;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.exceptions.JedisRedirectionException;

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
     * @throws JedisException if whoever could tell refuses
     */
    Route routeTo(byte[] key);

    /**
     * Lists every server that keys are on.
     *
     * @throws BrokenExchange if nobody can tell now
     */
    List<Server> masters();

    /**
     * Finds a server to listen at.
     *
     * @throws BrokenExchange if nobody can tell now
     */
    Server listeningPost();

    /** {@return whether to go on listening at a server} */
    boolean isListeningPost(Server server);

    /** {@return the server that another one sent us to} */
    Server follow(JedisRedirectionException redirection);

    /** Notes that a server does not answer, or not as a master: the next question who answers is asked anew. */
    void suspect(Server server);

    /** Looks around, from time to time. */
    void beat();

    /** {@return in one sentence, what holds in a failover} */
    String failover();

    @Override
    void close();
}
