package dev.holdfast.redis.lent;

import dev.holdfast.redis.wire.BrokenConnection;
import dev.holdfast.redis.wire.BrokenExchange;
import dev.holdfast.redis.wire.Clocks;
import dev.holdfast.redis.wire.Exchange;
import dev.holdfast.redis.wire.Listening;
import dev.holdfast.redis.wire.Server;
import dev.holdfast.redis.wire.ServerConnection;
import dev.holdfast.redis.wire.ServerRefusal;
import java.net.SocketTimeoutException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * A server behind a client that the program already has: each exchange borrows a connection from that client. Limits
 * and timeouts are the client's. Thread-safe.
 */
final class LentServer implements Server {
    private static final String NOWHERE = "?";

    private final String where;
    private final Supplier<Loan> lender;
    private final Clocks clocks;
    private final Set<Listening> listening = ConcurrentHashMap.newKeySet();

    LentServer(String where, Supplier<Loan> lender, Clocks clocks) {
        this.where = where;
        this.lender = lender;
        this.clocks = clocks;
    }

    @Override
    public void carry(Exchange exchange) {
        Loan loan = borrow();
        try {
            // Nobody can tell which machine a borrowed connection leads to, so nothing is concluded about its clock.
            Exchange.carry(
                    new ServerConnection(new JedisConnection(loan.connection()), NOWHERE, clocks.unknown()),
                    List.of(exchange));
            if (exchange.metReplica()) {
                loan.connection().setBroken();
            }
        } catch (BrokenConnection broken) {
            boolean late = broken.getCause() instanceof SocketTimeoutException;
            throw BrokenExchange.afterSending("the connection to " + where + " broke", !late, broken);
        } catch (RuntimeException | Error unexpected) {
            loan.connection().setBroken();
            throw unexpected;
        } finally {
            loan.giveBack();
        }
    }

    @Override
    public Listening listen() {
        LentListening lent = new LentListening(borrow(), clocks.unknown(), where, listening::remove);
        listening.add(lent);
        return lent;
    }

    @Override
    public void forgetIdle() {
        // Its owner finds out.
    }

    @Override
    public String where() {
        return where;
    }

    @Override
    public void close() {
        listening.forEach(Listening::cut);
    }

    private Loan borrow() {
        try {
            return lender.get();
        } catch (JedisException refused) {
            for (Throwable cause = refused; cause != null; cause = cause.getCause()) {
                if (cause instanceof JedisDataException said) {
                    throw ServerRefusal.of(String.valueOf(said.getMessage()));
                }
            }
            throw BrokenExchange.beforeSending("no connection to " + where, refused);
        }
    }
}
