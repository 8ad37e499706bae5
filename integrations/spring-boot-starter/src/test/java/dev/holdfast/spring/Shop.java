package dev.holdfast.spring;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AliasFor;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Methods with every kind of lock, for {@link LockedTest}. */
class Shop {
    /** Methods that ran although they should not. */
    static final List<String> CALLS = new CopyOnWriteArrayList<>();

    private final Holdfast locks;

    Shop(Holdfast locks) {
        this.locks = locks;
    }

    @Locked(name = "${region}:order:#{#order.id}", waitFor = "1s", lease = "20s")
    List<String> held(LockedTest.@Nullable Order order) {
        return locks.list("eu:", 10).stream().map(view -> view.name()).toList();
    }

    @Locked(name = "label")
    void look(Runnable task) {
        task.run();
    }

    @Locked(name = "pair:#{#left}:#{#right}")
    String pair(String left, String right) {
        return locks.list("pair:", 1).get(0).name();
    }

    @Locked(name = "key:#{#key}")
    String key(@Nullable Object key) {
        return locks.list("key:", 1).get(0).name();
    }

    @Locked(name = "busy", waitFor = "${patience}")
    void busy() {
        CALLS.add("busy");
    }

    @Locked(name = "patient", waitFor = "1m")
    void patient() {
        CALLS.add("patient");
    }

    @Locked(name = "skip", waitFor = "0s", onContended = OnContended.SKIP)
    @Nullable
    String skipObject() {
        return "ran";
    }

    @Locked(name = "skip", waitFor = "1ms", onContended = OnContended.SKIP)
    Optional<String> skipOptional() {
        CALLS.add("skipOptional");
        return Optional.of("ran");
    }

    @Locked(name = "skip", waitFor = "1ms", onContended = OnContended.SKIP)
    void skipVoid() {
        CALLS.add("skipVoid");
    }

    @Locked(name = "skip", waitFor = "1ms", onContended = OnContended.SKIP)
    CompletableFuture<String> skipFuture() {
        CALLS.add("skipFuture");
        return CompletableFuture.completedFuture("ran");
    }

    @Locked(name = "skip", waitFor = "1ms", onContended = OnContended.SKIP)
    Mono<String> skipMono() {
        CALLS.add("skipMono");
        return Mono.just("ran");
    }

    @Locked(name = "skip", waitFor = "1ms", onContended = OnContended.SKIP)
    Flux<String> skipFlux() {
        CALLS.add("skipFlux");
        return Flux.just("ran");
    }

    @Locked(name = "short", holdAtMost = "20ms")
    void tooLong(Runnable task) {
        task.run();
    }

    @Locked(name = "lease:#{#id}")
    Lease lease(String id, @Nullable Lease lease) {
        if (!lease.isHeld()) {
            CALLS.add("lease");
        }
        return lease;
    }

    @Locked(name = "token:#{#id}")
    long token(String id, @LockToken long token) {
        return token;
    }

    @Locked(name = "monoToken")
    Mono<Long> monoToken(@LockToken long token) {
        return Mono.just(token);
    }

    @Locked(
            name = {"account:#{#from}", "account:#{#to}"},
            waitFor = "1ms")
    List<String> transfer(String from, String to, @Nullable Lease lease) {
        return lease.names();
    }

    @Locked(name = "second", waitFor = "1ms")
    @Locked(name = "first", waitFor = "1ms")
    void repeated(Runnable task) {
        task.run();
    }

    @Locked(name = "second", waitFor = "1ms")
    @Locked(name = "first", waitFor = "1ms")
    Mono<String> repeatedMono() {
        return Mono.just("done");
    }

    @Locked(name = "catalog", mode = LockMode.READ)
    void read(@Nullable CyclicBarrier together, Runnable... tasks) {
        await(together);
        for (Runnable task : tasks) {
            task.run();
        }
    }

    @Locked(name = "catalog", mode = LockMode.WRITE, waitFor = "1ms")
    void write() {}

    @Locked(name = "catalog", mode = LockMode.WRITE)
    void writePatiently() {}

    @Locked(name = "printers", capacity = 2, waitFor = "100ms")
    void permit(@Nullable CyclicBarrier together, Runnable task) {
        await(together);
        task.run();
    }

    @Locked(name = "outer:#{#id}", waitFor = "1ms")
    void outer(String id, @Nullable Lease lease, Consumer<Lease> task) {
        task.accept(lease);
    }

    @Locked(name = "stage")
    CompletionStage<String> stage(CompletableFuture<String> work) {
        return work;
    }

    @Locked(name = "mono")
    Mono<String> mono(Mono<String> work) {
        CALLS.add("mono");
        return work;
    }

    @Locked(name = "flux")
    Flux<String> flux(Flux<String> work) {
        return work;
    }

    @LockedByName("composed")
    boolean composed() {
        return !LockedTest.isFree("composed");
    }

    private static void await(@Nullable CyclicBarrier together) {
        if (together != null) {
            try {
                together.await();
            } catch (InterruptedException | BrokenBarrierException failure) {
                throw new AssertionError(failure);
            }
        }
    }

    /** An application's own annotation. */
    @Locked(name = "", waitFor = "3s")
    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @interface LockedByName {
        @AliasFor(annotation = Locked.class, attribute = "name")
        String[] value();
    }
}
