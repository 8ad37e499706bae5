package dev.holdfast.spring.actuate;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastException;
import dev.holdfast.spring.boot3.StoreCheck;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** The store answers, and renewals are not so late that locks are about to be lost. */
public final class StoreHealth implements StoreCheck {
    private static final int LATE = 3;

    private final Holdfast locks;
    private final ClientNumbers numbers;
    private final Duration leaseTime;

    /**
     * Makes the check.
     *
     * @param locks the client
     * @param numbers its numbers
     * @param leaseTime the usual lease time; a lag of a third of it means that a renewal has been missed
     */
    public StoreHealth(Holdfast locks, ClientNumbers numbers, Duration leaseTime) {
        this.locks = locks;
        this.numbers = numbers;
        this.leaseTime = leaseTime;
    }

    @Override
    public Map<String, Object> look() {
        long begin = System.nanoTime();
        locks.ping();
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("client", locks.clientName());
        details.put("pingMillis", Duration.ofNanos(System.nanoTime() - begin).toMillis());
        numbers.get().ifPresent(client -> {
            Duration lag = client.renewalLag();
            details.put("held", client.held());
            details.put("waiting", client.waiting());
            details.put("renewalLagMillis", lag.toMillis());
            if (lag.compareTo(leaseTime.dividedBy(LATE)) > 0) {
                throw new HoldfastException("renewals are " + lag.toMillis() + " ms late; locks will be lost");
            }
        });
        return details;
    }
}
