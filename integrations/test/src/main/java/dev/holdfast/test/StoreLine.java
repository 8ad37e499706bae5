package dev.holdfast.test;

import dev.holdfast.LossReason;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.StoreContext;
import dev.holdfast.spi.StoreListener;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The line between a client and the store, which a test can cut or silence. Thread-safe. */
final class StoreLine implements StoreListener {
    /** What becomes of requests and messages. */
    enum State {
        /** They pass. */
        OPEN,
        /** Requests hang for the command timeout and are lost; so are messages. */
        SILENT,
        /** Requests fail at once; messages are lost. */
        REFUSING
    }

    private final VirtualTime time;
    private final Duration commandTimeout;
    private final Set<Thread> hanging = ConcurrentHashMap.newKeySet();

    /** What the store has granted over this line and was not asked to take back. */
    private final Set<Grant> grants = ConcurrentHashMap.newKeySet();

    private volatile State state = State.OPEN;
    private @Nullable StoreListener client;
    private @Nullable LockStore store;

    StoreLine(VirtualTime time, Duration commandTimeout) {
        this.time = time;
        this.commandTimeout = commandTimeout;
    }

    LockStore connect(StoreContext context, Function<StoreContext, LockStore> opener) {
        client = context.listener();
        LockStore opened = opener.apply(context.withListener(this));
        store = opened;
        return new LineStore(this, opened);
    }

    void become(State next) {
        state = next;
        hanging.forEach(time::wake);
    }

    /**
     * Makes a request, if the line lets it through.
     *
     * @param goesOn whether the engine says when the calling thread's wait is over; otherwise it is over here
     */
    <R> R call(String operation, String lockName, boolean goesOn, Supplier<R> request) {
        if (state == State.SILENT) {
            hang(operation, lockName, goesOn);
        }
        if (state == State.REFUSING) {
            throw unavailable(operation, lockName, "the test has the store refuse");
        }
        return request.get();
    }

    private void hang(String operation, String lockName, boolean goesOn) {
        long until = time.nanos() + commandTimeout.toNanos();
        Thread me = Thread.currentThread();
        hanging.add(me);
        try {
            while (state == State.SILENT && time.nanos() < until && !me.isInterrupted()) {
                time.park(this, until - time.nanos());
            }
        } finally {
            hanging.remove(me);
            if (!goesOn) {
                time.waitIsOver();
            }
        }
        if (state == State.SILENT) {
            throw unavailable(operation, lockName, "the test has silenced the store");
        }
    }

    private static StoreUnavailableException unavailable(String operation, String lockName, String why) {
        return new StoreUnavailableException(operation, lockName, new IllegalStateException(why));
    }

    AcquireOutcome remember(AcquireOutcome outcome) {
        if (outcome instanceof AcquireOutcome.Granted granted) {
            remember(granted.grants());
        }
        return outcome;
    }

    private void remember(List<Grant> granted) {
        granted.forEach(this::forget);
        grants.addAll(granted);
    }

    private void forget(Grant ended) {
        grants.removeIf(grant -> grant.owner().equals(ended.owner()) && grant.epoch() == ended.epoch());
    }

    void forget(List<Grant> given) {
        given.forEach(this::forget);
    }

    /** {@return the names of which the client may hold something} */
    Set<String> heldNames() {
        return grants.stream().map(Grant::name).collect(Collectors.toUnmodifiableSet());
    }

    /**
     * Ends what the client holds of a name at the store, behind its back.
     *
     * @return what it held
     */
    List<Grant> takeAway(String name) {
        List<Grant> ofName =
                grants.stream().filter(grant -> grant.name().equals(name)).toList();
        forget(ofName);
        List<ReleaseOutcome> outcomes =
                Objects.requireNonNull(store, "not connected").release(ofName);
        return ofName.stream()
                .filter(grant -> outcomes.get(ofName.indexOf(grant)) instanceof ReleaseOutcome.Released)
                .toList();
    }

    /** Tells the client that a grant is lost, even if the line is cut. */
    void tellLoss(Grant grant, LossReason reason) {
        listener().lost(grant.name(), grant.owner(), grant.epoch(), reason);
    }

    private StoreListener listener() {
        return Objects.requireNonNull(client, "not connected");
    }

    private void pass(Runnable message) {
        if (state == State.OPEN) {
            message.run();
        }
    }

    @Override
    public void retry(String name, OwnerId owner) {
        pass(() -> listener().retry(name, owner));
    }

    @Override
    public void granted(List<Grant> granted, long anchorNanos) {
        remember(granted);
        pass(() -> listener().granted(granted, anchorNanos));
    }

    @Override
    public void wanted(String name, long epoch) {
        pass(() -> listener().wanted(name, epoch));
    }

    @Override
    public void lost(String name, OwnerId owner, long epoch, LossReason reason) {
        pass(() -> listener().lost(name, owner, epoch, reason));
    }

    @Override
    public void sessionLost(String session) {
        pass(() -> listener().sessionLost(session));
    }
}
