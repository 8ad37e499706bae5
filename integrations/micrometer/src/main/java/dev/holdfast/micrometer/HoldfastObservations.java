package dev.holdfast.micrometer;

import dev.holdfast.HoldfastEvent;
import dev.holdfast.HoldfastListener;
import dev.holdfast.LeaseLostException;
import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Observations of locks, and so spans where a tracer listens to them: {@value #WAIT} from the call to its end, and
 * {@value #HOLD} from the grant to the release or loss. Both belong to the observation that was current on the thread
 * that asked for the lock. Give it to a client as its listener.
 *
 * <p>A wait begins on the thread that asks. The other moments are those at which the client tells its listeners, usually
 * some microseconds later. If a client drops events because its listeners are too slow, an observation may never end
 * and is then not reported. Thread-safe.
 *
 * <p>With low cardinality: {@code outcome} ({@code acquired}, {@code contended}, {@code failed}, {@code abandoned}) and
 * {@code source} of a wait, {@code end} ({@code released} or why it was lost) of a hold. With high cardinality:
 * {@code holdfast.lock}, the lock's name, and {@code holdfast.token}, the fencing token.
 */
public final class HoldfastObservations implements HoldfastListener {
    /** The name of the observation of a wait. */
    public static final String WAIT = "holdfast.lock.wait";

    /** The name of the observation of a hold. */
    public static final String HOLD = "holdfast.lock.hold";

    private static final String LOCK = "holdfast.lock";
    private static final String TOKEN = "holdfast.token";
    private static final String OUTCOME = "outcome";
    private static final String SOURCE = "source";
    private static final String END = "end";

    private final ObservationRegistry registry;

    private HoldfastObservations(ObservationRegistry registry) {
        this.registry = Objects.requireNonNull(registry, "registry");
    }

    /**
     * Makes the listener.
     *
     * @param registry whom to tell of observations
     * @return the listener
     */
    public static HoldfastObservations of(ObservationRegistry registry) {
        return new HoldfastObservations(registry);
    }

    /** Does nothing: each attempt has a listener of its own. */
    @Override
    public void on(HoldfastEvent event) {}

    @Override
    public @Nullable HoldfastListener attempt(String lockName) {
        return registry.isNoop() ? null : new Attempt(registry, lockName);
    }

    /** One attempt and the lease that it may get. Its events come one after another. */
    private static final class Attempt implements HoldfastListener {
        private final ObservationRegistry registry;
        private final String lockName;
        private final @Nullable Observation around;
        private final Observation wait;

        /** Null until there is a lease, and when it has ended. */
        private @Nullable Observation hold;

        Attempt(ObservationRegistry registry, String lockName) {
            this.registry = registry;
            this.lockName = lockName;
            this.around = registry.getCurrentObservation();
            this.wait = Observation.createNotStarted(WAIT, registry)
                    .contextualName("lock wait")
                    .highCardinalityKeyValue(LOCK, lockName)
                    .start();
        }

        @Override
        public void on(HoldfastEvent event) {
            if (event instanceof HoldfastEvent.Acquired acquired) {
                wait.highCardinalityKeyValue(TOKEN, Long.toString(acquired.token()));
                endWait("acquired", lower(acquired.source()));
                hold = beginHold(acquired.token());
            } else if (event instanceof HoldfastEvent.NotAcquired) {
                endWait("contended", KeyValue.NONE_VALUE);
            } else if (event instanceof HoldfastEvent.Abandoned) {
                endWait("abandoned", KeyValue.NONE_VALUE);
            } else if (event instanceof HoldfastEvent.Failed failed) {
                wait.error(failed.cause());
                endWait("failed", KeyValue.NONE_VALUE);
            } else if (event instanceof HoldfastEvent.Released) {
                endHold("released", null);
            } else if (event instanceof HoldfastEvent.Lost lost) {
                endHold(lower(lost.reason()), new LeaseLostException(lockName, lost.reason()));
            }
        }

        private void endWait(String outcome, String source) {
            wait.lowCardinalityKeyValue(OUTCOME, outcome)
                    .lowCardinalityKeyValue(SOURCE, source)
                    .stop();
        }

        /** Without an observation around it, the wait is what leads to the caller's span, if there is one. */
        private Observation beginHold(long token) {
            return Observation.createNotStarted(HOLD, registry)
                    .contextualName("lock hold")
                    .parentObservation(around != null ? around : wait)
                    .highCardinalityKeyValue(LOCK, lockName)
                    .highCardinalityKeyValue(TOKEN, Long.toString(token))
                    .start();
        }

        private void endHold(String end, @Nullable Throwable error) {
            Observation ended = hold;
            if (ended != null) {
                hold = null;
                if (error != null) {
                    ended.error(error);
                }
                ended.lowCardinalityKeyValue(END, end).stop();
            }
        }

        private static String lower(Enum<?> constant) {
            return constant.name().toLowerCase(Locale.ROOT);
        }
    }
}
