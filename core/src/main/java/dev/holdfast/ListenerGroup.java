package dev.holdfast;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Several listeners as one. What one of them throws is thrown when all have been told. */
record ListenerGroup(List<HoldfastListener> listeners) implements HoldfastListener {

    @Override
    public void on(HoldfastEvent event) {
        each(listener -> listener.on(event));
    }

    @Override
    public void opened(ClientStatistics statistics) {
        each(listener -> listener.opened(statistics));
    }

    @Override
    public Duration longestDelay() {
        return listeners.stream()
                .map(HoldfastListener::longestDelay)
                .min(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
    }

    @Override
    public @Nullable HoldfastListener attempt(String lockName) {
        List<HoldfastListener> followers = new ArrayList<>();
        Throwable failure = tellAll(listener -> {
            HoldfastListener follower = listener.attempt(lockName);
            if (follower != null) {
                followers.add(follower);
            }
        });
        if (failure != null) {
            System.getLogger("dev.holdfast")
                    .log(System.Logger.Level.WARNING, "a Holdfast listener failed on an attempt", failure);
        }
        return followers.isEmpty() ? null : followers.size() == 1 ? followers.get(0) : new ListenerGroup(followers);
    }

    private void each(Consumer<HoldfastListener> call) {
        Throwable failure = tellAll(call);
        if (failure instanceof Error error) {
            throw error;
        }
        if (failure != null) {
            throw failure instanceof RuntimeException known ? known : new IllegalStateException(failure);
        }
    }

    /** Tells everybody; returns what the first threw that did, with the others in it. */
    private @Nullable Throwable tellAll(Consumer<HoldfastListener> call) {
        Throwable failure = null;
        for (HoldfastListener listener : listeners) {
            try {
                call.accept(listener);
            } catch (Throwable broken) {
                if (failure == null) {
                    failure = broken;
                } else if (failure != broken) {
                    failure.addSuppressed(broken);
                }
            }
        }
        return failure;
    }
}
