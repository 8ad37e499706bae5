package dev.holdfast.redis;

import dev.holdfast.LockKind;
import dev.holdfast.LossReason;
import dev.holdfast.StoreFactory;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.StoreContext;
import dev.holdfast.spi.StoreListener;
import dev.holdfast.spi.StoreUri;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A store without an engine, which remembers what it is told. Thread-safe. */
public final class BareClient implements StoreListener, AutoCloseable {
    private static final long ORIGIN_NANOS = System.nanoTime();

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(BareClient::daemon);
    private final ExecutorService io = Executors.newCachedThreadPool(BareClient::daemon);
    private final StoreContext context;
    private final LockStore store;

    final Queue<List<Grant>> pushed = new ConcurrentLinkedQueue<>();
    final Queue<Long> anchors = new ConcurrentLinkedQueue<>();
    final Queue<Long> wanted = new ConcurrentLinkedQueue<>();
    public final Queue<OwnerId> retried = new ConcurrentLinkedQueue<>();

    public BareClient(String url) {
        this(context -> new RedisStoreProvider().open(StoreUri.parse(url, Map.of(), null), context));
    }

    public BareClient(StoreFactory opener) {
        this.context = new StoreContext(
                "bare", BareClient::nanos, this::schedule, io, Duration.ofSeconds(5), new Random(), this);
        this.store = opener.open(context);
    }

    public StoreContext context() {
        return context;
    }

    public LockStore store() {
        return store;
    }

    public static long nanos() {
        return System.nanoTime() - ORIGIN_NANOS;
    }

    /** {@return a claim of a new owner for the whole of some names} */
    public static Claim claim(Duration lease, String... names) {
        return claim(
                lease,
                Stream.of(names)
                        .sorted()
                        .map(name -> new Claim.Part(name, LockKind.EXCLUSIVE, 1, 1))
                        .toList());
    }

    public static Claim claim(Duration lease, List<Claim.Part> parts) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        OwnerId owner = new OwnerId(random.nextLong(), random.nextLong());
        return new Claim(parts, owner, lease, new Claim.HolderInfo("bare", ""), true);
    }

    /** {@return what a claim is granted; it must be} */
    public List<Grant> take(Claim claim) {
        return ((AcquireOutcome.Granted) store.tryAcquire(claim)).grants();
    }

    public boolean isGranted(Claim claim) {
        return store.poll(List.of(claim)).get(0) instanceof AcquireOutcome.Granted;
    }

    @Override
    public void retry(String name, OwnerId owner) {
        retried.add(owner);
    }

    @Override
    public void granted(List<Grant> grants, long anchorNanos) {
        pushed.add(grants);
        anchors.add(anchorNanos);
    }

    @Override
    public void wanted(String name, long epoch) {
        wanted.add(epoch);
    }

    @Override
    public void lost(String name, OwnerId owner, long epoch, LossReason reason) {}

    @Override
    public void sessionLost(String session) {}

    @Override
    public void close() {
        store.close();
        timer.shutdownNow();
        io.shutdownNow();
    }

    private Runnable schedule(Duration delay, Runnable task) {
        try {
            Future<?> scheduled = timer.schedule(() -> io.execute(task), delay.toNanos(), TimeUnit.NANOSECONDS);
            return () -> scheduled.cancel(false);
        } catch (RejectedExecutionException closed) {
            // As in a real client: what is scheduled when it is closed does not happen.
            return () -> {};
        }
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work, "bare-client");
        thread.setDaemon(true);
        return thread;
    }
}
