package dev.holdfast.examples.shop;

import dev.holdfast.spring.LockToken;
import dev.holdfast.spring.Locked;
import org.springframework.stereotype.Service;

/** Sells, one customer of an item at a time over all instances. */
@Service
public class Shop {
    private final Warehouse warehouse;
    private final Payment payment;

    Shop(Warehouse warehouse, Payment payment) {
        this.warehouse = warehouse;
        this.payment = payment;
    }

    /**
     * Sells one piece.
     *
     * @param item what
     * @param customer to whom
     * @param token given by Holdfast; whatever the caller passes is replaced
     * @return false if there is none left
     */
    @Locked(name = "stock:#{#item}", waitFor = "10s")
    public boolean sell(String item, String customer, @LockToken long token) {
        int pieces = warehouse.count(item, token);
        if (pieces == 0) {
            return false;
        }
        payment.charge(customer);
        warehouse.handOut(item, pieces - 1, customer, token);
        return true;
    }
}
