package dev.holdfast.server.wire;

import java.util.concurrent.atomic.AtomicLong;

/** How many bytes of events and answers this process holds for clients that have not taken them yet. Thread-safe. */
public final class UnreadBytes {
    private final long most;
    private final AtomicLong held = new AtomicLong();

    /** Sets the limit; what is begun below it is sent to its end. */
    public UnreadBytes(long most) {
        this.most = most;
    }

    boolean hasRoom() {
        return held.get() < most;
    }

    void add(long bytes) {
        held.addAndGet(bytes);
    }

    /** {@return how many there are} */
    public long held() {
        return held.get();
    }
}
