package dev.holdfast.jdbc.dialect;

import dev.holdfast.HoldfastException;
import dev.holdfast.spi.StoreContext;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Purges now and then as long as a client lives; clients do so at different times. Thread-safe. */
public final class PurgeTurns implements AutoCloseable {
    private final StoreContext context;
    private final Runnable purge;

    /** Cancels the next one; null before the first. Guarded by this object's monitor, as the flag. */
    private @Nullable Runnable cancel;

    private boolean closed;

    /**
     * Makes it.
     *
     * @param context what the engine lends
     * @param purge deletes what nobody uses any more, if it is this client's turn
     */
    public PurgeTurns(StoreContext context, Runnable purge) {
        this.context = context;
        this.purge = purge;
    }

    /** Called when the database has answered for the first time; does nothing when called again. */
    public synchronized void begin() {
        if (cancel == null) {
            schedule();
        }
    }

    private synchronized void schedule() {
        if (closed) {
            return;
        }
        Duration jitter = Duration.ofNanos(context.random().nextLong(Floor.TURN.toNanos() / 2));
        cancel = context.scheduler().schedule(Floor.TURN.plus(jitter), () -> {
            try {
                purge.run();
            } catch (HoldfastException unanswered) {
                // Old rows are in nobody's way; the next turn comes.
            } finally {
                schedule();
            }
        });
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (cancel != null) {
            cancel.run();
        }
    }
}
