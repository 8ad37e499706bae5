package dev.holdfast.spi;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

/** How the store answered a claim. A store that cannot be asked throws instead. */
public sealed interface AcquireOutcome {

    /**
     * The claim is granted, now or by an earlier request of the same owner.
     *
     * @param grants one per part of the claim, in the same order
     */
    record Granted(List<Grant> grants) implements AcquireOutcome {
        /** Copies the list. */
        public Granted {
            grants = List.copyOf(grants);
            if (grants.isEmpty()) {
                throw new IllegalArgumentException("a granted claim has at least one grant");
            }
        }
    }

    /**
     * Somebody else holds it or is ahead in line. Where the claim asked to queue and the store keeps a line, it stands
     * in it now.
     *
     * @param retryHint when to ask again if nothing is heard before, such as the rest of the holder's lease
     */
    record Contended(Duration retryHint) implements AcquireOutcome {
        /** Checks the answer. */
        public Contended {
            Objects.requireNonNull(retryHint, "retryHint");
        }
    }

    /**
     * The name is in use as another kind or capacity. Nothing was changed.
     *
     * @param detail which name, what it is used as and what was asked for
     */
    record Mismatch(String detail) implements AcquireOutcome {}

    /**
     * Nobody knows the outcome of this claim, although others of the same {@link LockStore#poll} were answered: its
     * server was silent, for example. A store that could ask nobody throws instead.
     *
     * @param cause what happened
     */
    record Unknown(RuntimeException cause) implements AcquireOutcome {}
}
