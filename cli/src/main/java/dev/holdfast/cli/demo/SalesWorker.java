package dev.holdfast.cli.demo;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A process that sells, in a few threads. Orders: {@code at URL}; {@code by WAY [LOCKS]}, answered with {@code ready} when
 * everything is connected; {@code go}, answered with {@code done RETRIES} when the stock is sold.
 */
final class SalesWorker {
    static final int THREADS = 2;

    /** Far more than there can be to sell, even if half of all writes are lost. */
    private static final int MOST_ATTEMPTS = 1_000_000;

    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(20);
    private static final String LOCK = "demo/stock";

    /** The lock of somebody who thinks that there is one process. */
    private final Lock local = new ReentrantLock();

    private final List<Shop> shops = new ArrayList<>();
    private String database = "";
    private Way way = Way.NO_LOCK;
    private int rounds;
    private @Nullable Holdfast locks;

    private SalesWorker() {}

    /** Started by the demonstration. */
    public static void main(String[] none) throws InterruptedException {
        Part.play(new SalesWorker()::obey);
    }

    private String obey(String[] words) throws SQLException, InterruptedException {
        switch (words[0]) {
            case "at" -> {
                database = words[1];
                return "there";
            }
            case "by" -> {
                prepare(Way.valueOf(words[1]), words.length > 2 ? words[2] : "");
                return "ready";
            }
            case "go" -> {
                return "done " + sell();
            }
            default -> throw new IllegalArgumentException("unknown order " + words[0]);
        }
    }

    private void prepare(Way chosen, String lockUrl) throws SQLException {
        way = chosen;
        rounds++;
        for (int i = 0; i < THREADS; i++) {
            String seller = ProcessHandle.current().pid() + "-" + i + "-" + rounds;
            shops.add(new Shop(DemoDatabase.connect(database), seller));
        }
        if (chosen == Way.HOLDFAST) {
            locks = Holdfast.builder()
                    .url(lockUrl)
                    .commandTimeout(COMMAND_TIMEOUT)
                    .build();
        }
    }

    private long sell() throws SQLException, InterruptedException {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            long retries = 0;
            for (Future<Long> each :
                    threads.invokeAll(shops.stream().map(this::seller).toList())) {
                retries += each.get();
            }
            return retries;
        } catch (ExecutionException failed) {
            throw new DemoException("could not sell: " + failed.getCause(), failed.getCause());
        } finally {
            threads.shutdownNow();
            for (Shop shop : shops) {
                shop.close();
            }
            shops.clear();
            if (locks != null) {
                locks.close();
                locks = null;
            }
        }
    }

    private Callable<Long> seller(Shop shop) {
        DistributedLock lock = locks == null ? null : locks.lock(LOCK);
        return () -> {
            long retries = 0;
            for (int attempts = 0; attempts < MOST_ATTEMPTS; attempts++) {
                switch (attempt(shop, lock)) {
                    case SOLD -> {}
                    case CHANGED_MEANWHILE -> retries++;
                    case SOLD_OUT -> {
                        return retries;
                    }
                }
            }
            return retries;
        };
    }

    private Shop.Attempt attempt(Shop shop, @Nullable DistributedLock lock) throws SQLException, InterruptedException {
        return switch (way) {
            case NO_LOCK -> shop.sell();
            case LOCAL_LOCK -> {
                local.lockInterruptibly();
                try {
                    yield shop.sell();
                } finally {
                    local.unlock();
                }
            }
            case VERSION -> shop.sellIfVersionIsUnchanged();
            case COMPARE_AND_SET -> shop.sellIfStockIsUnchanged();
            case ROW_LOCK -> shop.sellWithRowLocked();
            case HOLDFAST -> {
                try (Lease lease = Objects.requireNonNull(lock).acquire()) {
                    lease.ensureHeld();
                    yield shop.sell();
                }
            }
        };
    }
}
