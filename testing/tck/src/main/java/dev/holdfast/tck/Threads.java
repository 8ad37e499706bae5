package dev.holdfast.tck;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Assumptions;

/** Looks at threads from outside. */
final class Threads {
    private static final String CLIENT_THREAD = "holdfast";

    /** Threads of tests that are over. */
    private static final Set<Thread> LEAVING = ConcurrentHashMap.newKeySet();

    private Threads() {}

    /** Returns once the thread waits for something, or has ended. */
    static void untilWaiting(Thread thread, Duration patience) {
        long deadline = System.nanoTime() + patience.toNanos();
        while (!waits(thread.getState())) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError(thread + " does not come to wait, but is " + thread.getState());
            }
            giveWay();
        }
    }

    /** Lets other threads run, so that what should not overlap has a chance to. */
    @SuppressWarnings(
            "ThreadPriorityCheck") // Correctness does not depend on it; it only widens the window for a failure.
    static void giveWay() {
        Thread.yield();
    }

    /** {@return the living threads that a Holdfast client has started} */
    static Set<Thread> ofClients() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith(CLIENT_THREAD))
                .collect(Collectors.toSet());
    }

    /** Remembers that the threads of clients have to end, but for some that were there before. */
    static void leave(Set<Thread> earlier) {
        ofClients().stream().filter(thread -> !earlier.contains(thread)).forEach(LEAVING::add);
    }

    /** {@return the threads that had to end and have not yet} */
    static Set<Thread> leaving() {
        LEAVING.removeIf(thread -> !thread.isAlive());
        return Set.copyOf(LEAVING);
    }

    /** Starts a virtual thread; where the JDK has none, the calling test is reported as not applicable. */
    static Thread startVirtual(Runnable work) {
        try {
            return (Thread)
                    Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, work);
        } catch (NoSuchMethodException older) {
            Assumptions.abort("JDK " + Runtime.version().feature() + " has no virtual threads");
            throw new AssertionError("unreachable", older);
        } catch (ReflectiveOperationException failed) {
            throw new AssertionError("cannot start a virtual thread", failed);
        }
    }

    private static boolean waits(Thread.State state) {
        return state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING || state == Thread.State.TERMINATED;
    }
}
