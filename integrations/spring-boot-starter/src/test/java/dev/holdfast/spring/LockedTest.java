package dev.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastException;
import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LockKind;
import dev.holdfast.StoreUnavailableException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** What a locked method does when it is called. */
class LockedTest {
    private static ConfigurableApplicationContext context;
    private static Holdfast locks;
    private static Shop shop;

    @BeforeAll
    static void start() {
        context = new SpringApplicationBuilder(App.class)
                .web(WebApplicationType.NONE)
                .properties("holdfast.url=memory:", "region=eu", "patience=1ms", "spring.main.banner-mode=off")
                .run();
        locks = context.getBean(Holdfast.class);
        shop = context.getBean(Shop.class);
    }

    @AfterAll
    static void stop() {
        context.close();
    }

    @Test
    void nameIsMadeFromPlaceholdersAndParameters() {
        assertThat(shop.held(new Order("42", "red"))).containsExactly("eu:order:42");
        assertThat(locks.inspect("eu:order:42")
                        .map(view -> view.holders().size())
                        .orElse(0))
                .isZero();
    }

    @Test
    void labelShowsTheMethod() {
        shop.look(() -> assertThat(
                        locks.inspect("label").orElseThrow().holders().get(0).label())
                .isEqualTo("Shop.look"));
    }

    @Test
    void differentKeysNeverGetTheSameName() {
        assertThat(shop.pair("a:b", "c")).isEqualTo("pair:a%3Ab:c").isNotEqualTo(shop.pair("a", "b:c"));
        assertThat(shop.pair("a%3Ab", "c")).isEqualTo("pair:a%253Ab:c");
        assertThat(shop.pair("Größe 订单", "x-1_2.3@4")).isEqualTo("pair:Größe%20订单:x-1_2.3@4");
        UUID id = UUID.randomUUID();
        assertThat(shop.key(id)).isEqualTo("key:" + id);
        assertThat(shop.key(LockKind.EXCLUSIVE)).isEqualTo("key:EXCLUSIVE");
        assertThat(shop.key(17L)).isEqualTo("key:17");
    }

    @Test
    void keysWithoutATextOfTheirOwnAreRefused() {
        for (Object key : new @Nullable Object[] {
            null, "", " \t", new Object(), List.of(1), Optional.of(1), new int[] {1}, new String[] {"a"}
        }) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> shop.key(key))
                    .withMessageContaining("#{#key}")
                    .withMessageContaining("Shop.key")
                    .withMessageContaining("so the method did not run");
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> shop.held(null))
                .withMessageContaining("the method did not run");
        assertThat(Shop.CALLS).isEmpty();
    }

    @Test
    void contendedCallThrowsByDefaultAndDoesNotRun() {
        try (Lease other = taken("busy")) {
            assertThatThrownBy(() -> shop.busy())
                    .isInstanceOf(LockContendedException.class)
                    .hasMessageContaining("'busy'")
                    .hasMessageContaining("Shop.busy did not run");
            assertThat(Shop.CALLS).isEmpty();
            assertThat(other.isHeld()).isTrue();
        }
    }

    @Test
    void contendedCallIsSkippedIfThatIsChosen() {
        try (Lease other = taken("skip")) {
            assertThat(shop.skipObject()).isNull();
            assertThat(shop.skipOptional()).isEmpty();
            shop.skipVoid();
            assertThat(shop.skipFuture()).isCompletedWithValue(null);
            assertThat(shop.skipMono().block()).isNull();
            assertThat(shop.skipFlux().collectList().block()).isEmpty();
            assertThat(Shop.CALLS).isEmpty();
            assertThat(other.isHeld()).isTrue();
        }
        // Claims of the calls before may still be on their way out of the line.
        Awaitility.await().until(() -> "ran".equals(shop.skipObject()));
    }

    @Test
    void storeThatDoesNotAnswerIsAnExceptionEvenWhereContentionIsSkipped() {
        Apps.bare()
                .withPropertyValues(
                        "holdfast.url=redis://127.0.0.1:1", "holdfast.lazy=true", "region=eu", "patience=1ms")
                .withPropertyValues("holdfast.command-timeout=200ms")
                .withBean(Shop.class)
                .run(app -> {
                    Shop cut = app.getBean(Shop.class);
                    assertThatThrownBy(cut::skipObject).isInstanceOf(StoreUnavailableException.class);
                    assertThatThrownBy(() -> cut.skipMono().block()).isInstanceOf(StoreUnavailableException.class);
                    assertThatThrownBy(() -> cut.skipFuture().get())
                            .hasCauseInstanceOf(StoreUnavailableException.class);
                });
        assertThat(Shop.CALLS).isEmpty();
    }

    @Test
    void lossDuringTheMethodIsToldAfterIt() {
        assertThatThrownBy(() -> shop.look(() -> locks.evict("label", "test")))
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContaining("EVICTED");
        assertThatThrownBy(() -> shop.look(() -> {
                    locks.evict("label", "test");
                    throw new IllegalStateException("the method's own");
                }))
                .isInstanceOf(IllegalStateException.class)
                .satisfies(thrown ->
                        assertThat(thrown.getSuppressed()).singleElement().isInstanceOf(LeaseLostException.class));
    }

    @Test
    void holdAtMostEndsTheHold() {
        assertThatThrownBy(() -> shop.tooLong(() -> Awaitility.await().until(() -> isFree("short"))))
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContaining("MAX_HOLD");
    }

    @Test
    void leaseAndTokenAreInjected() {
        Lease lease = shop.lease("7", null);
        assertThat(lease.names()).containsExactly("lease:7");
        assertThat(lease.isHeld()).isFalse();
        long first = shop.token("7", 0);
        assertThat(first).isPositive();
        assertThat(shop.token("7", 0)).isGreaterThan(first);
        assertThat(shop.monoToken(0).block()).isPositive();
    }

    @Test
    void severalNamesAreAllOrNothing() {
        assertThat(shop.transfer("a", "b", null)).containsExactly("account:a", "account:b");
        assertThat(shop.transfer("a", "a", null)).containsExactly("account:a");
        try (Lease other = taken("account:b")) {
            assertThatThrownBy(() -> shop.transfer("a", "b", null)).isInstanceOf(LockContendedException.class);
            assertThat(isFree("account:a")).isTrue();
            assertThat(other.isHeld()).isTrue();
        }
    }

    @Test
    void repeatedLocksAreAllOrNothingWhateverTheirOrder() {
        shop.repeated(() -> {
            assertThat(isFree("first")).isFalse();
            assertThat(isFree("second")).isFalse();
        });
        assertThat(isFree("first")).isTrue();
        try (Lease other = taken("second")) {
            assertThatThrownBy(() -> shop.repeated(() -> {})).isInstanceOf(LockContendedException.class);
            assertThat(isFree("first")).isTrue();
            assertThatThrownBy(() -> shop.repeatedMono().block()).isInstanceOf(LockContendedException.class);
            assertThat(isFree("first")).isTrue();
            assertThat(other.isHeld()).isTrue();
        }
        Awaitility.await()
                .ignoreException(LockContendedException.class)
                .until(() -> "done".equals(shop.repeatedMono().block()));
        assertThat(isFree("first")).isTrue();
        assertThat(isFree("second")).isTrue();
    }

    @Test
    void readersShareAndWritersDoNot() throws InterruptedException {
        CyclicBarrier together = new CyclicBarrier(2);
        Thread reader = new Thread(() -> shop.read(together));
        reader.start();
        shop.read(together);
        reader.join();
        shop.read(
                null,
                () -> assertThatThrownBy(() -> inOtherThread(() -> shop.write()))
                        .isInstanceOf(LockContendedException.class));
        shop.writePatiently();
    }

    @Test
    void permitsAreCounted() throws InterruptedException {
        CyclicBarrier together = new CyclicBarrier(2);
        Thread other = new Thread(() -> shop.permit(
                together,
                () -> assertThatThrownBy(() -> inOtherThread(() -> shop.permit(null, () -> {})))
                        .isInstanceOf(LockContendedException.class)));
        other.start();
        shop.permit(together, () -> Awaitility.await().until(() -> !other.isAlive()));
        other.join();
    }

    @Test
    void nestedCallOfTheSameThreadUsesTheSameLease() {
        Lease[] seen = new Lease[2];
        shop.outer("9", null, lease -> {
            seen[0] = lease;
            shop.outer("9", null, inner -> seen[1] = inner);
            assertThat(lease.isHeld()).isTrue();
        });
        assertThat(seen[1]).isSameAs(seen[0]);
        assertThat(isFree("outer:9")).isTrue();
        assertThatThrownBy(() -> shop.outer("9", null, lease -> {
                    locks.evict("outer:9", "test");
                    shop.outer("9", null, inner -> {
                        throw new AssertionError("ran without the lock");
                    });
                }))
                .isInstanceOf(LeaseLostException.class);
    }

    @Test
    void futureKeepsTheLockUntilItIsComplete() {
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletionStage<String> result = shop.stage(work);
        assertThat(isFree("stage")).isFalse();
        work.complete("done");
        assertThat(result.toCompletableFuture()).isCompletedWithValue("done");
        assertThat(isFree("stage")).isTrue();

        CompletableFuture<String> failing = new CompletableFuture<>();
        CompletableFuture<String> failed = shop.stage(failing).toCompletableFuture();
        failing.completeExceptionally(new IllegalStateException("no"));
        assertThat(failed).isCompletedExceptionally();
        assertThat(isFree("stage")).isTrue();

        CompletableFuture<String> endless = new CompletableFuture<>();
        shop.stage(endless).toCompletableFuture().cancel(true);
        assertThat(endless).isCancelled();
        assertThat(isFree("stage")).isTrue();

        CompletableFuture<String> unprotected = new CompletableFuture<>();
        CompletableFuture<String> lost = shop.stage(unprotected).toCompletableFuture();
        locks.evict("stage", "test");
        unprotected.complete("too late");
        assertThatThrownBy(lost::join).hasCauseInstanceOf(LeaseLostException.class);
    }

    @Test
    void monoTakesTheLockWhenSubscribedAndKeepsItToItsEnd() {
        Sinks.One<String> work = Sinks.one();
        Mono<String> result = shop.mono(work.asMono());
        assertThat(isFree("mono")).isTrue();
        assertThat(Shop.CALLS).isEmpty();
        CompletableFuture<String> outcome = result.toFuture();
        Awaitility.await().until(() -> !isFree("mono"));
        work.tryEmitValue("done");
        assertThat(outcome.join()).isEqualTo("done");
        Awaitility.await().until(() -> isFree("mono"));
        assertThatThrownBy(() ->
                        shop.mono(Mono.error(new IllegalStateException("no"))).block())
                .isInstanceOf(IllegalStateException.class);
        Awaitility.await().until(() -> isFree("mono"));
        Shop.CALLS.clear();
    }

    @Test
    void cancelledFluxGivesTheLockBack() {
        Sinks.Many<String> work = Sinks.many().unicast().onBackpressureBuffer();
        CountDownLatch first = new CountDownLatch(1);
        var subscription = shop.flux(work.asFlux()).subscribe(value -> first.countDown());
        work.tryEmitNext("one");
        Awaitility.await().until(() -> first.getCount() == 0);
        assertThat(isFree("flux")).isFalse();
        subscription.dispose();
        Awaitility.await().until(() -> isFree("flux"));
        assertThat(shop.flux(Flux.just("a", "b")).collectList().block()).containsExactly("a", "b");
    }

    @Test
    void lossDuringAMonoIsAnError() {
        assertThatThrownBy(() -> shop.mono(Mono.fromCallable(() -> {
                            locks.evict("mono", "test");
                            return "too late";
                        }))
                        .block())
                .isInstanceOf(LeaseLostException.class);
        Shop.CALLS.clear();
    }

    @Test
    void interruptedWaitKeepsTheInterruptAndDoesNotRun() {
        try (Lease other = taken("patient")) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> shop.patient()).isInstanceOf(HoldfastException.class);
            assertThat(Thread.interrupted()).isTrue();
            assertThat(other.isHeld()).isTrue();
        }
        assertThat(Shop.CALLS).isEmpty();
    }

    @Test
    void annotationsOnInterfacesAndInOtherAnnotationsCount() {
        assertThat(context.getBean(Till.class).heldByTill()).isTrue();
        assertThat(shop.composed()).isTrue();
    }

    private static Lease taken(String name) {
        return locks.lock(name).tryAcquire().orElseThrow();
    }

    static boolean isFree(String name) {
        return locks.inspect(name).map(view -> view.holders().isEmpty()).orElse(true);
    }

    private static void inOtherThread(Runnable task) throws Throwable {
        try {
            CompletableFuture.runAsync(task).get(30, TimeUnit.SECONDS);
        } catch (java.util.concurrent.ExecutionException failure) {
            throw failure.getCause();
        }
    }

    record Order(@Nullable String id, String colour) {}

    @Import({Shop.class, Counter.class})
    @org.springframework.context.annotation.Configuration(proxyBeanMethods = false)
    @org.springframework.boot.autoconfigure.ImportAutoConfiguration({
        AopAutoConfiguration.class,
        dev.holdfast.spring.autoconfigure.HoldfastAutoConfiguration.class,
        dev.holdfast.spring.autoconfigure.LockedAutoConfiguration.class
    })
    static class App {}

    interface Till {
        @Locked(name = "till")
        boolean heldByTill();
    }

    static class Counter implements Till {
        @Override
        public boolean heldByTill() {
            return !isFree("till");
        }
    }
}
