package dev.holdfast.cli.run;

import dev.holdfast.cli.console.Exit;
import dev.holdfast.cli.event.Event;
import dev.holdfast.cli.event.SupervisionException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/**
 * One term of a candidate of {@code elect}. The launcher, which is the candidate, is told through a pipe whether there is to
 * be another term: the exit code cannot tell, because it may be the command's own. Used by one thread.
 *
 * <p>States: standing, then leading, then deposed or over.
 */
final class Term {
    private static final String PIPE_PROPERTY = "holdfast.term";
    private static final String CANDIDATE_PROPERTY = "holdfast.candidate";

    private enum State {
        STANDING,
        LEADING,
        DEPOSED
    }

    private final String pipe;
    private final String candidate;
    private State state = State.STANDING;

    private Term(String pipe, String candidate) {
        this.pipe = pipe;
        this.candidate = candidate;
    }

    /** A run that stands for nothing. */
    static Term only() {
        return new Term("", "");
    }

    static Term ofThisProcess() {
        return new Term(System.getProperty(PIPE_PROPERTY, ""), System.getProperty(CANDIDATE_PROPERTY, ""));
    }

    /** Ends the command when the candidate is gone, as if it had been told to with TERM. */
    void endWithCandidate(Consumer<? super Event.Signalled> events) {
        if (!candidate.isEmpty()) {
            ProcessHandle.of(Long.parseLong(candidate))
                    .ifPresentOrElse(
                            process -> process.onExit().thenRun(() -> events.accept(Event.Signalled.TERM)),
                            () -> events.accept(Event.Signalled.TERM));
        }
    }

    void began() {
        state = State.LEADING;
    }

    void lost() {
        state = State.DEPOSED;
    }

    /** Says whether the candidate stands again: at once after a loss, later if the store could not be asked. */
    void ended(int code) {
        if (state == State.DEPOSED) {
            say("again");
        } else if (state == State.STANDING && code == Exit.STORE_FAILED) {
            say("later");
        }
    }

    private void say(String word) {
        if (pipe.isEmpty()) {
            return;
        }
        try (FileOutputStream said = new FileOutputStream("/proc/self/fd/" + pipe)) {
            said.write((word + "\n").getBytes(StandardCharsets.US_ASCII));
        } catch (IOException gone) {
            throw new SupervisionException("cannot tell the candidate how its term ended", gone);
        }
    }
}
