package dev.holdfast.redis.topology;

import dev.holdfast.redis.wire.BrokenExchange;
import dev.holdfast.redis.wire.Deadline;
import dev.holdfast.redis.wire.ServerRefusal;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Asks several who can all answer the same question, and takes the first answer. The next one is asked when the last one
 * has failed, or has not answered for a moment, so that any number of silent ones cost moments, not timeouts. Nobody is
 * asked again while an earlier question is not answered. Thread-safe.
 */
final class FirstAnswer<K> {
    private static final Duration MOMENT = Duration.ofMillis(50);

    private static final long SHORT_PAUSE_NANOS = 2_000_000;

    private final Executor threads;
    private final Set<K> asked = ConcurrentHashMap.newKeySet();

    /** What one of them said, or why it did not. */
    private record Word<T>(@Nullable T answer, @Nullable RuntimeException failure) {}

    FirstAnswer(Executor threads) {
        this.threads = threads;
    }

    /**
     * Asks.
     *
     * @throws BrokenExchange if nobody answers in time
     * @throws ServerRefusal if everybody refuses
     */
    <T> T ask(List<K> candidates, Function<K, T> question, Deadline deadline) {
        if (candidates.isEmpty()) {
            throw new IllegalStateException("there is nobody to ask");
        }
        BlockingQueue<Word<T>> words = new LinkedBlockingQueue<>();
        RuntimeException failure = null;
        int next = 0;
        int outstanding = 0;
        while (next < candidates.size() || outstanding > 0 || failure == null) {
            if (next == candidates.size() && outstanding == 0) {
                // All of them are being asked already, and will soon have answered, or not.
                next = 0;
                LockSupport.parkNanos(this, SHORT_PAUSE_NANOS);
            }
            if (next < candidates.size() && begin(candidates.get(next++), question, words)) {
                outstanding++;
            }
            long left = deadline.leftNanos();
            long patience = next < candidates.size() ? moment(deadline, candidates.size() - next) : left;
            Word<T> word = left <= 0 ? null : poll(words, outstanding == 0 ? 0 : Math.min(left, patience));
            if (word != null) {
                outstanding--;
                if (word.answer != null) {
                    return word.answer;
                }
                failure = worse(failure, word.failure);
            } else if (deadline.isOver()) {
                break;
            }
        }
        throw failure != null && (outstanding == 0 || failure instanceof BrokenExchange)
                ? failure
                : BrokenExchange.beforeSending(
                        "nobody tells who the master is", new TimeoutException("no answer in time"));
    }

    /** Also the last one must have some time to answer. */
    private static long moment(Deadline deadline, int left) {
        return Math.max(0, Math.min(MOMENT.toNanos(), deadline.leftNanos() / (2L * (left + 1))));
    }

    /** A refusal counts only if all refuse: silence may still end. */
    private static @Nullable RuntimeException worse(@Nullable RuntimeException before, @Nullable RuntimeException now) {
        return before instanceof BrokenExchange ? before : now;
    }

    private <T> boolean begin(K candidate, Function<K, T> question, BlockingQueue<Word<T>> words) {
        if (!asked.add(candidate)) {
            return false;
        }
        try {
            threads.execute(() -> {
                try {
                    words.add(new Word<>(question.apply(candidate), null));
                } catch (RuntimeException unanswered) {
                    words.add(new Word<>(null, unanswered));
                } finally {
                    asked.remove(candidate);
                }
            });
            return true;
        } catch (RejectedExecutionException closing) {
            asked.remove(candidate);
            return false;
        }
    }

    private static <T> @Nullable Word<T> poll(BlockingQueue<Word<T>> words, long nanos) {
        boolean interrupted = false;
        long until = System.nanoTime() + nanos;
        try {
            while (true) {
                try {
                    return words.poll(until - System.nanoTime(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException later) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
