package dev.holdfast.server.api;

import dev.holdfast.server.wire.Problem;
import dev.holdfast.server.wire.Problem.Code;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts open streams, and refuses too many. Thread-safe. */
final class StreamCount {
    private final int most;
    private final AtomicInteger open = new AtomicInteger();

    StreamCount(int most) {
        this.most = most;
    }

    void take() {
        if (open.incrementAndGet() > most) {
            open.decrementAndGet();
            throw new Problem(Code.TOO_MANY, "this server has " + most + " open streams already, which is the limit");
        }
    }

    void giveBack() {
        open.decrementAndGet();
    }
}
