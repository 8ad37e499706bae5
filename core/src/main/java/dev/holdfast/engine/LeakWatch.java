package dev.holdfast.engine;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Notices lease handles that were forgotten, and remembers where leases were taken. Stacks are shared between leases
 * that were taken at the same place. Looking at one costs more than the rest of an acquire does in a program that has not
 * run for long, so after the first few hundred only some are looked at, until a handle is forgotten whose place is not
 * known. Thread-safe.
 */
final class LeakWatch {
    private static final int DEEPEST_STACK = 32;
    private static final int MOST_STACKS = 1_024;
    private static final long NANOS_PER_STACK = 20_000_000;
    private static final long BURST_NANOS = 256 * NANOS_PER_STACK;

    private static final StackWalker WALKER = StackWalker.getInstance();

    private final ReferenceQueue<HeldLease> forgotten = new ReferenceQueue<>();
    private final ConcurrentMap<Integer, Throwable> stacks = new ConcurrentHashMap<>();

    /** A leaky bucket: the moment at which it will be empty. */
    private final AtomicLong spentUntilNanos = new AtomicLong();

    /** Whether anybody looks for forgotten handles; where nobody does, no stack is kept. */
    private volatile boolean keepsStacks;

    void keepStacks() {
        keepsStacks = true;
    }

    ReferenceQueue<HeldLease> queue() {
        return forgotten;
    }

    /** {@return the calling stack as an exception that was not thrown, or null if too many are asked for} */
    @Nullable
    Throwable callStack(long now) {
        long spent = spentUntilNanos.get();
        if (!keepsStacks
                || spent - now > BURST_NANOS
                || !spentUntilNanos.compareAndSet(spent, Math.max(spent, now) + NANOS_PER_STACK)) {
            return null;
        }
        int place = WALKER.walk(frames -> users(frames)
                .mapToInt(frame -> 31 * frame.getClassName().hashCode() + frame.getByteCodeIndex())
                .reduce(1, (hash, frame) -> 31 * hash + frame));
        Throwable known = stacks.get(place);
        if (known != null || stacks.size() >= MOST_STACKS) {
            return known;
        }
        Throwable fresh = new Throwable("the lease was taken here");
        fresh.setStackTrace(WALKER.walk(frames ->
                users(frames).map(StackWalker.StackFrame::toStackTraceElement).toArray(StackTraceElement[]::new)));
        stacks.put(place, fresh);
        return fresh;
    }

    private static Stream<StackWalker.StackFrame> users(Stream<StackWalker.StackFrame> frames) {
        return frames.dropWhile(frame -> frame.getClassName().startsWith("dev.holdfast.engine."))
                .limit(DEEPEST_STACK);
    }

    /** Looks at the next few hundred stacks, however many there were before. */
    void lookClosely() {
        spentUntilNanos.set(0);
    }

    /** Hands over every lease whose handle was forgotten since the last time. */
    void forEachForgotten(Consumer<Hold> action) {
        for (Reference<? extends HeldLease> next = forgotten.poll(); next != null; next = forgotten.poll()) {
            if (next instanceof Hold hold) {
                if (hold.takenAt == null && hold.state == Hold.State.HELD) {
                    lookClosely();
                }
                action.accept(hold);
            }
        }
    }
}
