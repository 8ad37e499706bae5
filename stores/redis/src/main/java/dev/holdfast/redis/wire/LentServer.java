package dev.holdfast.redis.wire;

import java.net.SocketTimeoutException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * A server behind a client that the program already has: each exchange borrows a connection from that client. Limits
 * and timeouts are the client's. Thread-safe.
 */
public final class LentServer implements Server {
    private static final String NOWHERE = "?";

    private final String where;
    private final Supplier<Loan> lender;
    private final Clocks clocks;
    private final Map<ServerConnection, Loan> listening = new ConcurrentHashMap<>();

    /** A borrowed connection. */
    public interface Loan {
        Connection connection();

        /** Gives the connection back, broken or not. */
        void giveBack();
    }

    public LentServer(String where, Supplier<Loan> lender, Clocks clocks) {
        this.where = where;
        this.lender = lender;
        this.clocks = clocks;
    }

    @Override
    public void carry(Exchange exchange) {
        Loan loan = borrow();
        Connection connection = loan.connection();
        try {
            Exchange.carry(line(connection), List.of(exchange));
        } catch (JedisConnectionException broken) {
            boolean late = broken.getCause() instanceof SocketTimeoutException;
            throw BrokenExchange.afterSending("the connection to " + where + " broke", !late, broken);
        } catch (RuntimeException | Error unexpected) {
            connection.setBroken();
            throw unexpected;
        } finally {
            loan.giveBack();
        }
    }

    @Override
    public ServerConnection listen() {
        Loan loan = borrow();
        ServerConnection line = line(loan.connection());
        listening.put(line, loan);
        return line;
    }

    @Override
    public void hangUp(ServerConnection line) {
        line.cut();
        Loan loan = listening.remove(line);
        if (loan != null) {
            loan.giveBack();
        }
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
        listening.keySet().forEach(ServerConnection::cut);
    }

    /** Nobody can tell which machine a borrowed connection leads to, so nothing is concluded about its clock. */
    private ServerConnection line(Connection connection) {
        return new ServerConnection(connection, NOWHERE, clocks.unknown());
    }

    private Loan borrow() {
        try {
            return lender.get();
        } catch (JedisException refused) {
            for (Throwable cause = refused; cause != null; cause = cause.getCause()) {
                if (cause instanceof JedisDataException said) {
                    throw said;
                }
            }
            throw BrokenExchange.beforeSending("no connection to " + where, refused);
        }
    }
}
