package dev.holdfast.redis.lent;

import dev.holdfast.redis.wire.BrokenExchange;
import dev.holdfast.redis.wire.Listening;
import dev.holdfast.redis.wire.ServerRefusal;
import dev.holdfast.spi.ServerClock;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/** Listens on a borrowed connection. */
final class LentListening implements Listening {
    private final Loan loan;
    private final ServerClock clock;
    private final String where;
    private final BiConsumer<LentListening, Loan> atEnd;
    private volatile @Nullable JedisMessages subscription;

    LentListening(Loan loan, ServerClock clock, String where, BiConsumer<LentListening, Loan> atEnd) {
        this.loan = loan;
        this.clock = clock;
        this.where = where;
        this.atEnd = atEnd;
    }

    @Override
    public void listen(byte[] channel, Listener listener) {
        JedisMessages mine = new JedisMessages(channel, listener);
        subscription = mine;
        try {
            mine.proceed(loan.connection(), channel);
        } catch (JedisDataException refused) {
            throw ServerRefusal.of(String.valueOf(refused.getMessage()));
        } catch (JedisException | IllegalStateException broken) {
            throw BrokenExchange.afterSending("the connection to " + where + " broke", false, broken);
        }
    }

    @Override
    public void ping() {
        JedisMessages mine = subscription;
        if (mine != null) {
            mine.askForSign();
        }
    }

    @Override
    public ServerClock clock() {
        return clock;
    }

    @Override
    public void cut() {
        Loan.cut(loan.connection());
    }

    @Override
    public void close() {
        cut();
        atEnd.accept(this, loan);
    }
}
