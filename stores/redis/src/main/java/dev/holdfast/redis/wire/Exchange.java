package dev.holdfast.redis.wire;

import dev.holdfast.spi.ServerClock;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * Calls that go to one server together and are answered together, asked by one thread. Whoever has a connection carries
 * it: the asking thread itself, or another one that takes it along.
 */
public final class Exchange {
    private static final int MOST_TO_TAKE_ALONG = 8;

    private final List<Call> calls;

    /** How many replicas have to acknowledge, and how long to wait for them; null if none have to. */
    private final @Nullable Replicas replicas;

    private final Thread asker = Thread.currentThread();
    private int acknowledged;

    /** The clock of the server that answered. */
    private @Nullable ServerClock clock;

    /** Why there are no answers, if there are none; written before {@link #over}. */
    private @Nullable RuntimeException failure;

    private volatile boolean over;

    public Exchange(List<Call> calls, @Nullable Replicas replicas) {
        this.calls = calls;
        this.replicas = replicas;
    }

    List<Call> calls() {
        return calls;
    }

    /** Whether another thread may take it along with its own. */
    boolean isSmall() {
        return calls.size() <= MOST_TO_TAKE_ALONG;
    }

    boolean isOver() {
        return over;
    }

    /** {@return how many replicas have acknowledged everything in it} */
    public int acknowledged() {
        return acknowledged;
    }

    /** {@return the clock of the server that answered} */
    public ServerClock clock() {
        return Objects.requireNonNull(clock, "not carried");
    }

    /** Marks the end; the asking thread goes on, unless it is the calling one. */
    void end(@Nullable RuntimeException why) {
        failure = why;
        over = true;
        if (asker != Thread.currentThread()) {
            wake();
        }
    }

    /** Lets the asking thread look whether it can go on. */
    void wake() {
        LockSupport.unpark(asker);
    }

    void throwIfFailed() {
        RuntimeException why = failure;
        if (why != null) {
            throw why;
        }
    }

    /** Sends everything in some exchanges at once and reads the answers; a refused command is an answer. */
    static void carry(ServerConnection line, List<Exchange> together) {
        Connection connection = line.connection();
        for (Exchange exchange : together) {
            exchange.clock = line.clock();
        }
        if (together.size() == 1 && together.get(0).isSimple()) {
            carrySimple(line, together.get(0).calls.get(0));
            return;
        }
        int expected = 0;
        for (Exchange exchange : together) {
            expected += exchange.send(line);
        }
        List<Object> answers = connection.getMany(expected);
        int at = 0;
        for (Exchange exchange : together) {
            at = exchange.take(answers, at);
        }
    }

    private boolean isSimple() {
        return calls.size() == 1 && replicas == null;
    }

    private static void carrySimple(ServerConnection line, Call call) {
        Connection connection = line.connection();
        int expected = call.send(line);
        if (expected > 1) {
            call.take(connection.getMany(expected), 0);
            return;
        }
        try {
            call.answered(connection.getOne());
        } catch (JedisDataException refused) {
            call.answered(refused);
        }
    }

    private int send(ServerConnection line) {
        int expected = 0;
        for (Call call : calls) {
            expected += call.send(line);
        }
        if (replicas != null) {
            line.connection().sendCommand(Command.WAIT, replicas.countText(), replicas.millisText());
            expected++;
        }
        return expected;
    }

    private int take(List<Object> answers, int from) {
        int at = from;
        for (Call call : calls) {
            at = call.take(answers, at);
        }
        if (replicas != null) {
            Object said = answers.get(at++);
            if (said instanceof RuntimeException refused) {
                calls.forEach(call -> call.failed(refused));
            } else if (said instanceof Long count) {
                acknowledged = Math.toIntExact(count);
            } else {
                throw new JedisConnectionException("the server did not say how many replicas acknowledged");
            }
        }
        return at;
    }
}
