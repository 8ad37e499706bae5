package dev.holdfast.cli.demo;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * A process that is stopped (SIGSTOP) until this is closed, or until nobody can close it any more: a shell keeps it, which
 * lets it go on when its pipe breaks. Used by one thread.
 */
final class Pause implements AutoCloseable {
    /** A signal takes its time on a busy machine, and until then the process goes on: so its threads are looked at. */
    private static final String KEEPER = """
            kill -STOP "$1" 2>/dev/null || exit
            for try in {1..1000}; do
                grep -sL ') [TtZX] ' /proc/"$1"/task/*/stat | grep -q . || break
                sleep 0.01
            done
            echo stopped
            read -r
            # A demonstration that was interrupted has ended it meanwhile.
            kill -CONT "$1" 2>/dev/null
            """;

    private static final long PATIENCE_SECONDS = 60;

    private final Process keeper;

    private Pause(Process keeper) {
        this.keeper = keeper;
    }

    /** Stops a process; it does nothing any more when this returns. */
    static Pause of(long process) {
        try {
            Process keeper = new ProcessBuilder("bash", "-c", KEEPER, "bash", Long.toString(process))
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            if (keeper.getInputStream().read() < 0) {
                throw new DemoException("process " + process + " could not be stopped");
            }
            return new Pause(keeper);
        } catch (IOException failed) {
            throw new DemoException("there is no bash to stop a process with", failed);
        }
    }

    /** Lets it go on. */
    @Override
    public void close() {
        try {
            keeper.getOutputStream().close();
            keeper.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (IOException gone) {
            throw new DemoException("a stopped process could not be woken", gone);
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }
}
