package dev.holdfast.server.lease;

import dev.holdfast.LockKind;
import dev.holdfast.spi.Claim;
import java.time.Duration;
import java.util.List;

/**
 * What a client asks for.
 *
 * @param principal who asks
 * @param shownAs who asks, as people see it
 * @param key the idempotency key
 * @param keyGiven whether the client chose the key; then a repeated request may come to any instance
 * @param name the name in the request's path
 * @param names all names, sorted
 * @param kind what the names are used as
 * @param units how many units are asked for
 * @param capacity how many there are
 * @param lease how long the lease lasts without a renewal
 * @param maxWait how long to wait
 * @param label what people see besides the principal
 */
public record Ask(
        String principal,
        String shownAs,
        String key,
        boolean keyGiven,
        String name,
        List<String> names,
        Kind kind,
        int units,
        int capacity,
        Duration lease,
        Duration maxWait,
        String label) {

    /** Copies the names. */
    public Ask {
        names = List.copyOf(names);
    }

    /** What names are used as, in the words of the wire. */
    public enum Kind {
        /** One holder. */
        EXCLUSIVE("exclusive", LockKind.EXCLUSIVE),
        /** One of many readers. */
        READ("read", LockKind.READ_WRITE),
        /** The only writer. */
        WRITE("write", LockKind.READ_WRITE),
        /** Some of several permits. */
        PERMIT("permit", LockKind.SEMAPHORE);

        private final String word;
        private final LockKind lockKind;

        Kind(String word, LockKind lockKind) {
            this.word = word;
            this.lockKind = lockKind;
        }

        /** {@return its name in JSON} */
        public String word() {
            return word;
        }

        /** {@return what the store knows it as} */
        public LockKind lockKind() {
            return lockKind;
        }
    }

    /** {@return whether others may hold the name beside this} */
    boolean isShared() {
        return units < capacity;
    }

    List<Claim.Part> parts() {
        return names.stream()
                .map(name -> new Claim.Part(name, kind.lockKind(), units, capacity))
                .toList();
    }

    /** Everything that has to be the same for a request to be a repetition. */
    String scope() {
        return principal + '\0' + kind + '\0' + units + '\0' + capacity + '\0' + String.join("\0", names) + "\0\0"
                + key;
    }
}
