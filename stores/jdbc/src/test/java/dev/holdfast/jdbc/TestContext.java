package dev.holdfast.jdbc;

import dev.holdfast.LockKind;
import dev.holdfast.LossReason;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.StoreContext;
import dev.holdfast.spi.StoreListener;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** What the engine would lend to a store, for tests of single steps; ends with the test. */
public final class TestContext implements AutoCloseable {
    private static final long ORIGIN_NANOS = System.nanoTime();

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final ExecutorService io = Executors.newCachedThreadPool();

    /** {@return a context whose listener hears nothing} */
    public StoreContext context() {
        return context(new Deaf());
    }

    /** {@return a context whose commands may take a minute, for what is large and not late} */
    public StoreContext patient() {
        return within(Duration.ofMinutes(1));
    }

    /** {@return a context with a command timeout of the test's own} */
    public StoreContext within(Duration commandTimeout) {
        StoreContext usual = context();
        return new StoreContext(
                usual.clientName(),
                usual.clock(),
                usual.scheduler(),
                usual.ioExecutor(),
                commandTimeout,
                usual.random(),
                usual.listener());
    }

    /** {@return a context in which minutes pass in no time, so that a store purges all the time} */
    public StoreContext hurried() {
        StoreContext usual = context();
        return new StoreContext(
                usual.clientName(),
                usual.clock(),
                (delay, task) -> usual.scheduler()
                        .schedule(delay.compareTo(Duration.ofMinutes(1)) < 0 ? delay : Duration.ofMillis(50), task),
                usual.ioExecutor(),
                usual.commandTimeout(),
                usual.random(),
                usual.listener());
    }

    /** {@return a context with a listener of the test's own} */
    public StoreContext context(StoreListener listener) {
        return new StoreContext(
                "test",
                () -> System.nanoTime() - ORIGIN_NANOS,
                (delay, task) -> {
                    Future<?> scheduled = timer.schedule(() -> io.execute(task), delay.toNanos(), TimeUnit.NANOSECONDS);
                    return () -> scheduled.cancel(false);
                },
                io,
                Duration.ofSeconds(5),
                new Random(),
                listener);
    }

    /** {@return a claim of a new owner for whole names} */
    public static Claim claim(Duration lease, String... names) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        List<Claim.Part> parts = Arrays.stream(names)
                .sorted()
                .map(name -> new Claim.Part(name, LockKind.EXCLUSIVE, 1, 1))
                .toList();
        return new Claim(
                parts,
                new OwnerId(random.nextLong(), random.nextLong()),
                lease,
                new Claim.HolderInfo("test", "a label"),
                false);
    }

    @Override
    public void close() {
        timer.shutdownNow();
        io.shutdownNow();
    }

    /** Hears nothing; a test overrides what it wants to hear. */
    static class Deaf implements StoreListener {
        @Override
        public void retry(String name, OwnerId owner) {}

        @Override
        public void granted(List<Grant> grants, long anchorNanos) {}

        @Override
        public void wanted(String name, long epoch) {}

        @Override
        public void lost(String name, OwnerId owner, long epoch, LossReason reason) {}

        @Override
        public void sessionLost(String session) {}
    }
}
