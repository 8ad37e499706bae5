package dev.holdfast.server.lease;

import dev.holdfast.spi.Grant;
import dev.holdfast.spi.OwnerId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What an instance must know to renew a lease or to give it back, wherever it was granted.
 *
 * @param instance the only instance that can, where the store has sessions; otherwise 0
 * @param owner the owner at the store
 * @param kind what the names are used as
 * @param units how many units are held
 * @param capacity how many there are
 * @param lease how long it lasts without a renewal
 * @param principal a digest of whose it is
 * @param key the idempotency key
 * @param names what is held
 * @param epochs the grants, in the order of the names
 */
public record LeaseId(
        long instance,
        OwnerId owner,
        Ask.Kind kind,
        int units,
        int capacity,
        Duration lease,
        long principal,
        String key,
        List<String> names,
        List<Long> epochs) {

    /** Copies the lists. */
    public LeaseId {
        names = List.copyOf(names);
        epochs = List.copyOf(epochs);
    }

    /** {@return the grants, to be renewed for this lease} */
    List<Grant> grants(Duration renewedFor) {
        List<Grant> grants = new ArrayList<>(names.size());
        for (int i = 0; i < names.size(); i++) {
            grants.add(new Grant(names.get(i), owner, epochs.get(i), renewedFor, null, null, false));
        }
        return grants;
    }

    /** {@return the fencing token of each name} */
    public List<Long> tokens() {
        return epochs.stream().map(epoch -> Grant.token(epoch, 0)).toList();
    }

    LeaseId lasting(Duration other) {
        return new LeaseId(instance, owner, kind, units, capacity, other, principal, key, names, epochs);
    }
}
