package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.StoreTraits;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.StoreContext;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A store that tells nobody of a release leaves that to the client, whichever way the grant went back. */
@Timeout(60)
class LocalWaitersAreHintedTest {
    private static final Duration LONGEST_HOLD = Duration.ofSeconds(1);

    /** A part of the pause that the store's hint asks for, and more than a repeated release waits for. */
    private static final Duration MOMENT = Duration.ofMillis(300);

    private final VirtualTime time = new VirtualTime();

    /** P12: the loss is given back in the background, at the second try. */
    @Test
    void waiterAsksAtOnceWhenALostGrantHasGoneBack() {
        LockOptions options = LockOptions.defaults().withMaxHold(LONGEST_HOLD);
        try (Holdfast locks = time.open("locks", Unpushed::new)) {
            Lease lease = time.get(locks.lock("a", options).acquireAsync());
            CompletableFuture<Lease> next = locks.lock("a", options).acquireAsync();
            time.advance(LONGEST_HOLD);
            assertThat(lease.isHeld()).isFalse();
            assertThat(next).as("the first release was not answered").isNotDone();
            time.advance(MOMENT);
            assertThat(next).isDone();
        }
    }

    private static final class Unpushed extends DelegatingStore {
        private boolean silent = true;

        Unpushed(StoreContext context) {
            super("unpushed", mute(context));
        }

        @Override
        public StoreTraits traits() {
            return withoutPushes(super.traits());
        }

        @Override
        public List<ReleaseOutcome> release(List<Grant> grants) {
            if (silent) {
                silent = false;
                throw new StoreUnavailableException("release", grants.get(0).name(), null);
            }
            return super.release(grants);
        }
    }
}
