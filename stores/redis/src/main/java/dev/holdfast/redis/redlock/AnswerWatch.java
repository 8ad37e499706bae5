package dev.holdfast.redis.redlock;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.Deque;

/** Lets one thread wait for whichever of several connections has something new. Used by one thread, until it is closed. */
final class AnswerWatch implements AutoCloseable {
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final Deque<Selector> pool;
    private final Selector selector;

    /** Makes one with a selector that nobody uses, or with a new one; it goes back there. */
    AnswerWatch(Deque<Selector> pool) {
        this.pool = pool;
        Selector idle = pool.pollFirst();
        try {
            this.selector = idle == null ? Selector.open() : idle;
        } catch (IOException tooManyFiles) {
            throw new UncheckedIOException(tooManyFiles);
        }
    }

    void add(NodeConnection connection) {
        connection.register(selector);
    }

    /** Waits until something has come, for about that time at most; an interrupt ends it too. */
    void await(Duration longest) {
        try {
            selector.select(Math.max(1, (longest.toNanos() + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI));
            selector.selectedKeys().clear();
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    /** Connections are used by others from now on. */
    @Override
    public void close() {
        try {
            selector.keys().forEach(SelectionKey::cancel);
            selector.selectNow();
            selector.selectedKeys().clear();
            pool.offerFirst(selector);
        } catch (IOException broken) {
            end(selector);
        }
    }

    /** Closes a selector that is not needed any more. */
    static void end(Selector selector) {
        try {
            selector.close();
        } catch (IOException alreadyBroken) {
            // There is nothing left that could be ended.
            return;
        }
    }
}
