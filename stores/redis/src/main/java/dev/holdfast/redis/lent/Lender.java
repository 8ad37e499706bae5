package dev.holdfast.redis.lent;

import redis.clients.jedis.exceptions.JedisException;

/** Lends connections of the program's client to one server. Thread-safe. */
interface Lender {
    /**
     * Lends a connection. May take as long as the client's own limits allow, which may be for ever.
     *
     * @param key what the server will be asked about; empty for none
     * @throws JedisException if there is none
     */
    Loan borrow(byte[] key);

    /** Closes connections that nobody uses, because they are probably broken. */
    void forgetIdle();
}
