package dev.holdfast.etcd;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.OwnerId;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Where the claims of this client stand, by owner. Thread-safe. */
final class Places {
    private final Layout layout;
    private final KeyIds ids = new KeyIds();
    private final Map<OwnerId, Place> places = new ConcurrentHashMap<>();

    Places(Layout layout) {
        this.layout = layout;
    }

    @Nullable
    Place get(OwnerId owner) {
        return places.get(owner);
    }

    /** All of them, in no order. */
    Collection<Place> all() {
        return places.values();
    }

    /** A claim is about to enter its lines; with the keys of its earlier place, because it may have made them. */
    Place begin(Claim claim, Session session) {
        return places.compute(claim.owner(), (owner, before) -> {
            Place place = new Place(claim, session, before == null ? ids.take(claim) : before.id(), layout);
            if (before != null && before.mayStillArrive()) {
                place.repeats();
            }
            return place;
        });
    }

    /** A claim has ended in this place, and nothing is left of it. */
    void drop(Place place) {
        if (places.remove(place.claim().owner(), place)) {
            ids.giveBack(place.claim(), place.id(), !place.mayStillArrive());
        }
    }

    void clear() {
        places.clear();
    }
}
