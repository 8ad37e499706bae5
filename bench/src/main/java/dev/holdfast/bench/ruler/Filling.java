package dev.holdfast.bench.ruler;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;

/**
 * Takes many locks and keeps them until the process ends. Several threads take them, because some servers answer one
 * request after another too slowly for thousands; the threads stay, because some peers' locks belong to them.
 */
final class Filling {
    private final Locks locks;
    private final int parts;
    private final ExecutorService threads;

    /** Guarded by itself. */
    private final List<Mutex> held = new ArrayList<>();

    Filling(Locks locks) {
        this.locks = locks;
        this.parts = locks.threadsForManyNames();
        this.threads = Executors.newFixedThreadPool(parts, task -> {
            Thread thread = new Thread(task, "filling");
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Waits until all are held. */
    void take(int count, String prefix) {
        CompletableFuture<?>[] taken = IntStream.range(0, parts)
                .mapToObj(part -> CompletableFuture.runAsync(() -> takePart(part, count, prefix), threads))
                .toArray(CompletableFuture<?>[]::new);
        CompletableFuture.allOf(taken).join();
    }

    private void takePart(int part, int count, String prefix) {
        try {
            for (int i = part; i < count; i += parts) {
                Mutex mutex = locks.mutex(prefix + "-" + i);
                mutex.lock();
                synchronized (held) {
                    held.add(mutex);
                }
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", stopped);
        }
    }
}
