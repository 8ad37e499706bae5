package dev.holdfast.redis.lent;

import dev.holdfast.redis.wire.BrokenExchange;
import dev.holdfast.redis.wire.Deadline;
import dev.holdfast.redis.wire.Exchange;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Calls the program's client on other threads, because its own limits may let it keep a caller for ever. Whoever asks waits
 * no longer than its own deadline, and interrupts the other thread then. Thread-safe.
 */
final class Aside {
    /** Usually that is quick, and then it has been given back when the call ends. */
    private static final Duration GIVING_BACK = Duration.ofMillis(50);

    private final Executor threads;

    Aside(Executor threads) {
        this.threads = threads;
    }

    /** Borrows a connection; one that comes too late is given back. */
    Loan borrow(Lender lender, byte[] key, Deadline deadline, String where) {
        CompletableFuture<Loan> lent = new CompletableFuture<>();
        FutureTask<@Nullable Void> task = begin(() -> lend(lender, key, lent), where);
        await(lent, deadline);
        if (lent.completeExceptionally(BrokenExchange.beforeSending(
                "no connection to " + where, new TimeoutException("the given client lent none in time")))) {
            task.cancel(true);
        }
        try {
            return lent.join();
        } catch (CompletionException none) {
            if (none.getCause() instanceof RuntimeException why) {
                throw why;
            }
            throw none;
        }
    }

    private static void lend(Lender lender, byte[] key, CompletableFuture<Loan> lent) {
        try {
            Loan loan = lender.borrow(key);
            if (!lent.complete(loan)) {
                // Here, on a thread that nobody waits for.
                loan.giveBack();
            }
        } catch (RuntimeException | Error none) {
            lent.completeExceptionally(none);
        }
    }

    /**
     * Gives a connection back. For one that is broken, the pool makes another at once if somebody waits for it, and that takes
     * as long as it takes.
     */
    void giveBack(Loan loan) {
        if (!loan.connection().isBroken()) {
            loan.giveBack();
            return;
        }
        FutureTask<@Nullable Void> task = new FutureTask<>(loan::giveBack, null);
        try {
            threads.execute(task);
            task.get(GIVING_BACK.toMillis(), TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException closed) {
            loan.giveBack();
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException nobodyWaits) {
            // It is gone from the pool in any case, or will be.
            return;
        }
    }

    /** Lets an exchange be carried; whoever carries it had better look whether it is over already. */
    void carry(Exchange exchange, Runnable carrying, String where) {
        FutureTask<@Nullable Void> task = begin(() -> carry(exchange, carrying), where);
        try {
            exchange.await(() -> BrokenExchange.afterSending(
                    where + " did not answer in time", false, new TimeoutException("no answer in time")));
        } finally {
            if (exchange.deadline().isOver()) {
                task.cancel(true);
            }
        }
    }

    private static void carry(Exchange exchange, Runnable carrying) {
        RuntimeException failure = null;
        try {
            carrying.run();
        } catch (RuntimeException broken) {
            failure = broken;
        } catch (Error fatal) {
            failure = BrokenExchange.afterSending("the exchange failed", false, fatal);
            throw fatal;
        } finally {
            exchange.end(failure);
        }
    }

    private FutureTask<@Nullable Void> begin(Runnable work, String where) {
        FutureTask<@Nullable Void> task = new FutureTask<>(work, null);
        try {
            threads.execute(task);
            return task;
        } catch (RejectedExecutionException tooMany) {
            throw BrokenExchange.beforeSending("too many calls wait for " + where, tooMany);
        }
    }

    private static void await(CompletableFuture<?> future, Deadline deadline) {
        try {
            Object unused = deadline.await(future);
        } catch (ExecutionException | TimeoutException over) {
            // Whoever waits looks at what has become of it.
            return;
        }
    }
}
