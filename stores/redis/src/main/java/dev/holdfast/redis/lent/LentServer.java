package dev.holdfast.redis.lent;

import dev.holdfast.redis.wire.BrokenConnection;
import dev.holdfast.redis.wire.BrokenExchange;
import dev.holdfast.redis.wire.Clocks;
import dev.holdfast.redis.wire.Deadline;
import dev.holdfast.redis.wire.Exchange;
import dev.holdfast.redis.wire.Listening;
import dev.holdfast.redis.wire.OverdueWatch;
import dev.holdfast.redis.wire.Server;
import dev.holdfast.redis.wire.ServerConnection;
import dev.holdfast.redis.wire.ServerRefusal;
import java.net.SocketTimeoutException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * A server behind a client that the program already has: each exchange borrows a connection from that client. However long
 * that client would wait, an exchange ends by its own deadline. Thread-safe.
 */
final class LentServer implements Server, OverdueWatch.Awaiting {
    private static final String NOWHERE = "?";
    private static final byte[] NO_KEY = {};

    private final String where;
    private final Lender lender;
    private final Clocks clocks;
    private final Aside aside;
    private final OverdueWatch watch;
    private final Supplier<Deadline> newDeadline;
    private final Set<Listening> listening = ConcurrentHashMap.newKeySet();
    private final Set<LentExchange> underWay = ConcurrentHashMap.newKeySet();

    LentServer(
            String where,
            Lender lender,
            Clocks clocks,
            Aside aside,
            OverdueWatch watch,
            Supplier<Deadline> newDeadline) {
        this.where = where;
        this.lender = lender;
        this.clocks = clocks;
        this.aside = aside;
        this.watch = watch;
        this.newDeadline = newDeadline;
        watch.add(this);
    }

    @Override
    public void carry(Exchange exchange) {
        Loan loan = borrow(exchange.key(), exchange.deadline());
        LentExchange lent = new LentExchange(loan, exchange.deadline().nanos());
        underWay.add(lent);
        watch.note();
        try {
            // Nobody can tell which machine a borrowed connection leads to, so nothing is concluded about its clock.
            Exchange.carry(
                    new ServerConnection(new JedisConnection(loan.connection()), NOWHERE, clocks.unknown()),
                    List.of(exchange));
            if (exchange.metReplica()) {
                loan.connection().setBroken();
            }
        } catch (BrokenConnection broken) {
            loan.connection().setBroken();
            throw broken(broken, lent.wasCut());
        } catch (RuntimeException | Error unexpected) {
            loan.connection().setBroken();
            throw unexpected;
        } finally {
            underWay.remove(lent);
            lent.end();
            aside.giveBack(loan);
        }
    }

    /** Those that were idle meanwhile lead to the same silence. */
    private BrokenExchange broken(BrokenConnection broken, boolean cut) {
        if (cut || broken.getCause() instanceof SocketTimeoutException) {
            forgetIdle();
            return BrokenExchange.afterSending(
                    where + " did not answer in time", false, new TimeoutException("no answer in time"));
        }
        return BrokenExchange.afterSending("the connection to " + where + " broke", true, broken);
    }

    @Override
    public Listening listen() {
        LentListening lent = new LentListening(borrow(NO_KEY, newDeadline.get()), clocks.unknown(), where, this::ended);
        listening.add(lent);
        return lent;
    }

    private void ended(LentListening lent, Loan loan) {
        listening.remove(lent);
        aside.giveBack(loan);
    }

    @Override
    public void forgetIdle() {
        try {
            lender.forgetIdle();
        } catch (JedisException | IllegalStateException closed) {
            // Whoever borrows next is told why there is no connection.
            return;
        }
    }

    @Override
    public String where() {
        return where;
    }

    @Override
    public boolean endOverdue(long nowNanos) {
        underWay.forEach(lent -> lent.endIfOverdue(nowNanos));
        return !underWay.isEmpty();
    }

    @Override
    public void close() {
        watch.remove(this);
        listening.forEach(Listening::cut);
        underWay.forEach(LentExchange::cut);
    }

    private Loan borrow(byte[] key, Deadline deadline) {
        try {
            return aside.borrow(lender, key, deadline, where);
        } catch (JedisException refused) {
            throw refusal(refused);
        }
    }

    private RuntimeException refusal(JedisException refused) {
        for (Throwable cause = refused; cause != null; cause = cause.getCause()) {
            if (cause instanceof JedisDataException said) {
                return ServerRefusal.of(String.valueOf(said.getMessage()));
            }
        }
        return BrokenExchange.beforeSending("no connection to " + where, refused);
    }
}
