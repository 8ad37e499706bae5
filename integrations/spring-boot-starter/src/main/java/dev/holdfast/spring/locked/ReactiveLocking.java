package dev.holdfast.spring.locked;

import dev.holdfast.Lease;
import dev.holdfast.spring.LockContendedException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.aop.ProxyMethodInvocation;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Takes the locks when somebody subscribes and gives them back when the publisher has ended or is cancelled. No thread
 * waits. Each subscription calls the method anew. Only touched if Reactor is there.
 */
final class ReactiveLocking {
    private final LockedMethod method;
    private final ProxyMethodInvocation invocation;
    private final List<LockPlan.Need> needs;
    private final ScheduledRuns runs;

    private ReactiveLocking(
            LockedMethod method, ProxyMethodInvocation invocation, List<LockPlan.Need> needs, ScheduledRuns runs) {
        this.method = method;
        this.invocation = invocation;
        this.needs = needs;
        this.runs = runs;
    }

    static Object around(
            LockedMethod method,
            ProxyMethodInvocation called,
            Function<@Nullable Object[], List<LockPlan.Need>> needs,
            ScheduledRuns runs) {
        // The arguments of the first call are shared with the caller, and each subscription has its own.
        ProxyMethodInvocation original = (ProxyMethodInvocation)
                called.invocableClone(called.getArguments().clone());
        Flux<Object> locked = Flux.defer(() -> {
            @Nullable Object[] arguments = original.getArguments().clone();
            ProxyMethodInvocation own = (ProxyMethodInvocation) original.invocableClone(arguments);
            return new ReactiveLocking(method, own, needs.apply(arguments), runs).from(0);
        });
        return method.result() == Result.MONO ? locked.singleOrEmpty() : locked;
    }

    private Flux<Object> from(int index) {
        if (index == needs.size()) {
            return Flux.defer(this::call);
        }
        LockPlan.Need need = needs.get(index);
        return Flux.usingWhen(
                take(need),
                taken -> {
                    method.inject(invocation.getArguments(), taken.lease());
                    // Asked before the end, because what a clean-up throws reaches the subscriber in a wrapper.
                    return from(index + 1)
                            .concatWith(Mono.fromRunnable(() -> taken.lease().ensureHeld()));
                },
                taken -> Mono.fromRunnable(() -> taken.doneWith(null)),
                (taken, failure) -> Mono.fromRunnable(() -> taken.doneWith(failure)),
                taken -> Mono.fromRunnable(() -> taken.doneWith(null)));
    }

    private Mono<Taken> take(LockPlan.Need need) {
        Duration wait = need.plan().patience();
        Mono<Optional<Lease>> attempt = Mono.fromFuture(() -> need.lock().tryAcquireAsync(wait));
        return attempt.flatMap(lease -> {
            if (lease.isPresent()) {
                return Mono.just(Taken.now(need, lease.get()));
            }
            if (need.plan().skip()) {
                if (method.scheduled()) {
                    runs.skipped(method.where(), names());
                }
                return Mono.empty();
            }
            return Mono.error(new LockContendedException(need.name(), wait, method.where()));
        });
    }

    @SuppressWarnings("unchecked")
    private Publisher<Object> call() {
        Publisher<Object> result;
        try {
            result = (Publisher<Object>) invocation.proceed();
        } catch (Throwable failure) {
            return Flux.error(failure);
        }
        Flux<Object> work = result == null ? Flux.empty() : Flux.from(result);
        if (!method.scheduled()) {
            return work;
        }
        runs.started(method.where(), names());
        long begin = System.nanoTime();
        return work.doOnComplete(() -> ended(begin, ScheduledRuns.Outcome.RAN))
                .doOnError(failure -> ended(begin, ScheduledRuns.Outcome.FAILED))
                .doOnCancel(() -> ended(begin, ScheduledRuns.Outcome.FAILED));
    }

    private void ended(long begin, ScheduledRuns.Outcome outcome) {
        runs.ended(method.where(), Duration.ofNanos(System.nanoTime() - begin), outcome);
    }

    private List<String> names() {
        return needs.stream().map(LockPlan.Need::name).toList();
    }
}
