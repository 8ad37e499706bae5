package dev.holdfast.engine;

import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/** Divides the answers to one request among those on whose behalf it was made. */
final class Answers {
    private Answers() {}

    /**
     * Hands everybody its own answers, in order.
     *
     * @param askers those for whom the request was made
     * @param questions how many answers each of them expects
     * @param answers all answers; null, or of another number than asked for, if the store did not answer
     * @param each receives an asker and its answers, or null if there are none
     */
    static <A, R> void divide(
            List<A> askers,
            ToIntFunction<A> questions,
            @Nullable List<R> answers,
            BiConsumer<A, @Nullable List<R>> each) {
        int asked = 0;
        for (A asker : askers) {
            asked += questions.applyAsInt(asker);
        }
        List<R> complete = answers != null && answers.size() == asked ? answers : null;
        int next = 0;
        for (A asker : askers) {
            int end = next + questions.applyAsInt(asker);
            try {
                each.accept(asker, complete == null ? null : complete.subList(next, end));
            } catch (RuntimeException | Error broken) {
                // The others are waiting for theirs.
                Log.error("an answer of the store could not be taken", broken);
            }
            next = end;
        }
    }
}
