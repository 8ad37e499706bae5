package dev.holdfast.redis.redlock;

import dev.holdfast.redis.redlock.DeferredCalls.DeferredCall;
import dev.holdfast.redis.topology.CallRouter;
import dev.holdfast.redis.wire.BrokenExchange;
import dev.holdfast.redis.wire.Call;
import dev.holdfast.spi.StoreContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Tells a node what it must still hear, in the background, one bundle after another. What it does not answer stays; so does
 * what it refuses to do, because it is full, loading or cannot save: it is told again, ever more seldom, until it has
 * forgotten by itself. Thread-safe.
 */
final class DeferredDelivery {
    private static final int MOST_AT_ONCE = 100;
    private static final Duration FIRST_PAUSE = Duration.ofMillis(20);
    private static final int MOST_DOUBLINGS = 6;

    private final StoreContext context;
    private final CallRouter router;

    /** Called when the node does not answer; whoever it is starts this again when the node answers. */
    private final Runnable silent;

    private final DeferredCalls calls = new DeferredCalls();
    private final AtomicBoolean running = new AtomicBoolean();

    /** How often in a row it was refused. */
    private final AtomicInteger refusals = new AtomicInteger();

    /** The last delivery failed, and nothing has been tried since. */
    private volatile boolean stuck;

    private volatile boolean closed;

    /** How a bundle was taken. */
    private enum Reception {
        TOLD,
        REFUSED,
        SILENT
    }

    DeferredDelivery(StoreContext context, CallRouter router, Runnable silent) {
        this.context = context;
        this.router = router;
        this.silent = silent;
    }

    void add(DeferredCalls.Key key, long attempt, Supplier<Call> call, Duration until) {
        calls.add(key, attempt, call, context.clock().nanos() + until.toNanos());
    }

    /** {@return whether something is being told, or left to be told and worth waiting for} */
    boolean isBusy() {
        return running.get() || (!calls.isEmpty() && !stuck);
    }

    /** Begins to tell, if there is anything to tell and nobody does already. */
    void start() {
        if (!calls.isEmpty() && !closed && running.compareAndSet(false, true)) {
            stuck = false;
            try {
                context.ioExecutor().execute(this::run);
            } catch (RejectedExecutionException closing) {
                stuck = true;
                running.set(false);
            }
        }
    }

    void close() {
        closed = true;
    }

    private void run() {
        Reception reception = Reception.TOLD;
        try {
            while (reception == Reception.TOLD && !closed && !calls.isEmpty()) {
                reception = tellSome();
            }
        } finally {
            stuck = reception != Reception.TOLD;
            running.set(false);
        }
        switch (reception) {
            case TOLD -> {
                refusals.set(0);
                // Something may have been added after we looked and before that.
                start();
            }
            case REFUSED -> later(FIRST_PAUSE.toNanos() << Math.min(refusals.getAndIncrement(), MOST_DOUBLINGS));
            case SILENT -> silent.run();
        }
    }

    private Reception tellSome() {
        List<DeferredCall> some = calls.take(MOST_AT_ONCE, context.clock().nanos());
        List<Call> sent = new ArrayList<>(some.size());
        some.forEach(one -> sent.add(one.call().get()));
        if (sent.isEmpty()) {
            return Reception.TOLD;
        }
        try {
            router.deliver(sent, null);
        } catch (RuntimeException unexpected) {
            some.forEach(calls::putBack);
            return Reception.REFUSED;
        }
        Reception reception = Reception.TOLD;
        for (int i = 0; i < sent.size(); i++) {
            RuntimeException failure = sent.get(i).failure();
            if (failure != null) {
                calls.putBack(some.get(i));
                boolean unheard = failure instanceof BrokenExchange || reception == Reception.SILENT;
                reception = unheard ? Reception.SILENT : Reception.REFUSED;
            }
        }
        return reception;
    }

    private void later(long nanos) {
        try {
            context.scheduler()
                    .schedule(Duration.ofNanos(nanos / 2 + context.random().nextLong(nanos / 2)), this::start);
        } catch (RejectedExecutionException closing) {
            closed = true;
        }
    }
}
