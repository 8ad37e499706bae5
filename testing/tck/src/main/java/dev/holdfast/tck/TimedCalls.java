package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tck.Outcome.Answer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;

/**
 * Calls that are under way at the same time, each on a thread of its own. In the end all of them are judged by how they
 * ended and by the time they took. Used by one thread.
 */
final class TimedCalls {
    private final OutageFixture fixture;
    private final List<TimedCall> calls = new ArrayList<>();
    private final List<String> complaints = new ArrayList<>();

    private record TimedCall(String what, Duration ownWait, Set<Answer> expected, Task<Outcome> task) {}

    TimedCalls(OutageFixture fixture) {
        this.fixture = fixture;
    }

    /**
     * Makes a call.
     *
     * @param what the call, for reports
     * @param wait how long the call itself is asked to wait
     * @param call what to do
     * @param expected how it may end; in any way but a failure if none is given
     */
    void make(String what, Duration wait, Callable<?> call, Answer... expected) {
        add(what, wait, fixture.start(() -> Outcome.of(call)), expected);
    }

    /** Judges a call that was prepared elsewhere, as {@link #make} does. */
    void add(String what, Duration wait, Task<Outcome> call, Answer... expected) {
        Set<Answer> allowed =
                expected.length == 0 ? EnumSet.complementOf(EnumSet.of(Answer.LOST, Answer.FAILED)) : Set.of(expected);
        calls.add(new TimedCall(what, wait, allowed, call));
    }

    /** Waits for every call to end. */
    void finish() throws Exception {
        for (TimedCall call : calls) {
            Outcome outcome = call.task.result();
            if (!call.expected.contains(outcome.answer())) {
                complaints.add(call.what + " ended as " + outcome.answer() + " instead of " + call.expected + ": "
                        + outcome.detail());
            }
            Duration budget = fixture.budget(call.ownWait);
            if (outcome.took().compareTo(budget) > 0) {
                complaints.add(call.what + " took " + outcome.took().toMillis() + " ms instead of " + budget.toMillis()
                        + " at most");
            }
        }
        calls.clear();
    }

    /** Waits for every call to end. Complains about all wrong ends and long times together. */
    void judge() throws Exception {
        finish();
        assertThat(complaints)
                .as("calls with a wrong end or beyond their budget")
                .isEmpty();
    }
}
