package dev.holdfast.engine.client;

import dev.holdfast.Lease;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The future that a user holds. Completing it in any way before the engine does gives the wait up; a lease that comes
 * too late for it is given back.
 *
 * @param <T> how the user sees the outcome
 */
final class LeaseFuture<T> extends CompletableFuture<T> {

    LeaseFuture(CompletableFuture<@Nullable Lease> wait, Function<@Nullable Lease, T> view) {
        wait.whenComplete((lease, failure) -> {
            if (failure != null) {
                completeExceptionally(failure);
            } else {
                take(lease, view);
            }
        });
        whenComplete((outcome, failure) -> wait.cancel(false));
    }

    private void take(@Nullable Lease lease, Function<@Nullable Lease, T> view) {
        try {
            if (!complete(view.apply(lease)) && lease != null) {
                lease.releaseAsync();
            }
        } catch (RuntimeException | Error unfit) {
            // A future that never completes would be worse than any exception.
            completeExceptionally(unfit);
        }
    }
}
