package dev.holdfast.cli.demo;

import dev.holdfast.cli.console.Exit;
import dev.holdfast.cli.event.Event;
import dev.holdfast.cli.event.Signals;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Ends a demonstration that is interrupted (Ctrl-C) as if it had come to its end: its processes first, then what they have
 * made, in silence. A second signal, a second or more later, ends it at once. Thread-safe.
 */
final class Curtain {
    private static final AtomicReference<Event.@Nullable Signalled> FALLEN = new AtomicReference<>();

    /** Who presses Ctrl-C twice in a row means it once. */
    private static final Duration IN_A_ROW = Duration.ofSeconds(1);

    /** When it began to fall. */
    private static volatile long fallenNanos = System.nanoTime();

    /** A demonstration. */
    interface Play {
        /** {@return whether everything went as it had to} */
        boolean play() throws InterruptedException;
    }

    private Curtain() {}

    /** {@return the exit code} */
    static int raise(Play play) throws InterruptedException {
        Signals.handle(Curtain::fall);
        try {
            boolean asTold = play.play();
            Event.Signalled signal = FALLEN.get();
            if (signal != null) {
                return Exit.SIGNAL + signal.number();
            }
            return asTold ? Exit.OK : Exit.NOT_AS_TOLD;
        } catch (RuntimeException failure) {
            Event.Signalled signal = FALLEN.get();
            if (signal == null) {
                throw failure;
            }
            // What fails now fails because the processes are gone.
            return Exit.SIGNAL + signal.number();
        }
    }

    /**
     * Lets nobody go on after the end.
     *
     * @throws DemoException if it has come
     */
    static void ensureUp() {
        if (FALLEN.get() != null) {
            throw new DemoException("the demonstration was interrupted");
        }
    }

    private static void fall(Event.Signalled signal) {
        if (signal.name().startsWith("USR")) {
            return;
        }
        if (FALLEN.get() == null) {
            fallenNanos = System.nanoTime();
        }
        if (FALLEN.compareAndSet(null, signal)) {
            Player.endAll();
        } else if (System.nanoTime() - fallenNanos > IN_A_ROW.toNanos()) {
            Runtime.getRuntime().halt(Exit.SIGNAL + signal.number());
        }
    }
}
