package dev.holdfast.redis.lent;

import redis.clients.jedis.Connection;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.util.Pool;

/** Lends from a pool. Thread-safe. */
record PoolLender(Pool<?> pool) implements Lender {
    @Override
    public Loan borrow(byte[] key) {
        return borrow(pool);
    }

    static Loan borrow(Pool<?> pool) {
        Object lent = pool.getResource();
        if (lent instanceof Jedis jedis) {
            return new Loan(jedis.getConnection(), jedis::close);
        }
        Connection connection = (Connection) lent;
        return new Loan(connection, connection::close);
    }

    @Override
    public void forgetIdle() {
        pool.clear();
    }
}
