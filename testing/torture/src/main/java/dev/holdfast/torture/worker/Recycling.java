package dev.holdfast.torture.worker;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastException;
import dev.holdfast.LockView;
import dev.holdfast.torture.history.Line;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Closes the client from one of its own callbacks, while its threads hold and wait, and goes on with a new one. */
record Recycling(Worker worker) {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int MANY = 1_000;

    void run() throws InterruptedException {
        Holdfast old = worker.client();
        String name =
                worker.settings().prefix() + "callback-" + worker.settings().process();
        CompletableFuture<?> closed = old.lock(name, worker.options())
                .acquireAsync()
                .thenAccept(lease -> {
                    worker.tell(Line.of("closing").with("client", old.clientName()));
                    long before = System.nanoTime();
                    old.close();
                    worker.tell(
                            Line.of("closed").with("client", old.clientName()).with("from", before));
                });
        try {
            closed.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException failed) {
            worker.tell(Line.of("closeFailed").with("client", old.clientName()).with("why", Attempt.first(failed)));
            old.close();
        }
        worker.replaceClient();
        look(old.clientName());
    }

    /** When close() has returned, nothing of the client is at the store any more. */
    void look(String closed) {
        try {
            long left = 0;
            StringBuilder what = new StringBuilder();
            for (LockView view : worker.client().list(worker.settings().prefix(), MANY)) {
                for (LockView.Holder holder : view.holders()) {
                    if (holder.clientName().equals(closed)) {
                        left++;
                        what.append(view.name()).append(' ');
                    }
                }
            }
            worker.tell(Line.of("afterClose")
                    .with("client", closed)
                    .with("left", left)
                    .with("what", what.toString()));
        } catch (HoldfastException unknown) {
            worker.tell(Line.of("afterClose")
                    .with("client", closed)
                    .with("left", -1)
                    .with("what", Attempt.first(unknown)));
        }
    }
}
