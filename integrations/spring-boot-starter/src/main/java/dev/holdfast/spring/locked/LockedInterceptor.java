package dev.holdfast.spring.locked;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastException;
import dev.holdfast.Lease;
import dev.holdfast.spring.LockContendedException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.ClassUtils;

/** Runs a method under its locks, or not at all. Thread-safe. */
public final class LockedInterceptor implements MethodInterceptor {
    private static final boolean TRANSACTIONS = ClassUtils.isPresent(
            "org.springframework.transaction.support.TransactionSynchronizationManager",
            LockedInterceptor.class.getClassLoader());

    private final Supplier<Holdfast> locks;
    private final BeanFactory beans;
    private final LockedMethods methods;
    private final ScheduledRuns runs;

    /**
     * Makes the interceptor.
     *
     * @param locks the client, asked for at the first call
     * @param beans resolves beans in expressions
     * @param methods reads the annotations
     * @param runs is told of scheduled methods
     */
    public LockedInterceptor(Supplier<Holdfast> locks, BeanFactory beans, LockedMethods methods, ScheduledRuns runs) {
        this.locks = locks;
        this.beans = beans;
        this.methods = methods;
        this.runs = runs;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Object target = Objects.requireNonNull(invocation.getThis(), "a locked method has no target");
        LockedMethod method = methods.of(invocation.getMethod(), ClassUtils.getUserClass(target));
        return switch (method.result()) {
            case PLAIN -> plain(method, invocation);
            case STAGE -> stage(method, invocation);
            case MONO, FLUX ->
                ReactiveLocking.around(
                        method,
                        (ProxyMethodInvocation) invocation,
                        arguments -> method.needs(locks.get(), beans, arguments),
                        runs);
        };
    }

    private @Nullable Object plain(LockedMethod method, MethodInvocation invocation) throws Throwable {
        List<LockPlan.Need> needs = method.needs(locks.get(), beans, invocation.getArguments());
        Deque<Taken> taken = new ArrayDeque<>();
        if (!takeAll(method, needs, taken, invocation)) {
            return Result.skipped(method.method());
        }
        boolean untilTransactionEnds = TRANSACTIONS && !taken.isEmpty() && TransactionEnd.isActive();
        Object result = null;
        Throwable failure = null;
        started(method, needs);
        long begin = System.nanoTime();
        try {
            result = invocation.proceed();
        } catch (Throwable thrown) {
            failure = thrown;
        }
        if (untilTransactionEnds) {
            TransactionEnd.keepUntil(List.copyOf(taken));
        } else {
            failure = finish(taken, failure);
        }
        ended(method, begin, failure);
        if (failure != null) {
            throw failure;
        }
        return result;
    }

    private Object stage(LockedMethod method, MethodInvocation invocation) throws Throwable {
        List<LockPlan.Need> needs = method.needs(locks.get(), beans, invocation.getArguments());
        Deque<Taken> taken = new ArrayDeque<>();
        try {
            if (!takeAll(method, needs, taken, invocation)) {
                return CompletableFuture.completedFuture(null);
            }
        } catch (HoldfastException notLocked) {
            return CompletableFuture.failedFuture(notLocked);
        }
        CompletionStage<?> running;
        started(method, needs);
        long begin = System.nanoTime();
        try {
            running = (CompletionStage<?>) invocation.proceed();
        } catch (Throwable thrown) {
            Throwable failure = Objects.requireNonNull(finish(taken, thrown));
            ended(method, begin, failure);
            throw failure;
        }
        // From here on the hold belongs to the future, not to this thread.
        taken.forEach(each -> HeldLocks.remove(each.lease()));
        CompletableFuture<@Nullable Object> outer = new CompletableFuture<>();
        CompletionStage<?> inner = running == null ? CompletableFuture.completedFuture(null) : running;
        inner.whenComplete((value, thrown) -> {
            Throwable failure = finish(taken, thrown);
            ended(method, begin, failure);
            if (failure == null) {
                outer.complete(value);
            } else {
                outer.completeExceptionally(failure);
            }
        });
        outer.whenComplete((value, thrown) -> {
            if (outer.isCancelled()) {
                inner.toCompletableFuture().cancel(true);
            }
        });
        return outer;
    }

    /** Takes everything that is needed, or nothing: false if the call is to be skipped. */
    private boolean takeAll(
            LockedMethod method, List<LockPlan.Need> needs, Deque<Taken> taken, MethodInvocation invocation) {
        boolean complete = false;
        try {
            for (LockPlan.Need need : needs) {
                Lease nested = need.plan().isReentrant() ? HeldLocks.find(need.key()) : null;
                if (nested != null) {
                    nested.ensureHeld();
                    method.inject(invocation.getArguments(), nested);
                    continue;
                }
                Lease lease = take(method, need);
                if (lease == null) {
                    skipped(method, needs);
                    return false;
                }
                taken.push(Taken.now(need, lease));
                HeldLocks.push(need.key(), lease);
                method.inject(invocation.getArguments(), lease);
            }
            complete = true;
            return true;
        } finally {
            if (!complete) {
                taken.forEach(each -> {
                    HeldLocks.remove(each.lease());
                    each.lease().release();
                });
            }
        }
    }

    private static @Nullable Lease take(LockedMethod method, LockPlan.Need need) {
        Duration wait = need.plan().patience();
        Optional<Lease> lease;
        try {
            lease = wait.isZero() ? need.lock().tryAcquire() : need.lock().tryAcquire(wait);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new HoldfastException(
                    "the thread was interrupted while it waited for lock '" + need.name() + "', so " + method.where()
                            + " did not run",
                    interrupted);
        }
        if (lease.isEmpty() && !need.plan().skip()) {
            throw new LockContendedException(need.name(), wait, method.where());
        }
        return lease.orElse(null);
    }

    private static @Nullable Throwable finish(Deque<Taken> taken, @Nullable Throwable failure) {
        Throwable result = failure;
        for (Taken each : taken) {
            HeldLocks.remove(each.lease());
            result = each.doneWith(result);
        }
        return result;
    }

    private void started(LockedMethod method, List<LockPlan.Need> needs) {
        if (method.scheduled()) {
            runs.started(method.where(), needs.stream().map(LockPlan.Need::name).toList());
        }
    }

    private void ended(LockedMethod method, long beginNanos, @Nullable Throwable failure) {
        if (method.scheduled()) {
            runs.ended(
                    method.where(),
                    Duration.ofNanos(System.nanoTime() - beginNanos),
                    failure == null ? ScheduledRuns.Outcome.RAN : ScheduledRuns.Outcome.FAILED);
        }
    }

    private void skipped(LockedMethod method, List<LockPlan.Need> needs) {
        if (method.scheduled()) {
            runs.skipped(method.where(), needs.stream().map(LockPlan.Need::name).toList());
        }
    }
}
