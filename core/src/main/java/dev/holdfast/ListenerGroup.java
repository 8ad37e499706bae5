package dev.holdfast;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
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
        List<HoldfastListener> followers = listeners.stream()
                .map(listener -> listener.attempt(lockName))
                .filter(Objects::nonNull)
                .map(HoldfastListener.class::cast)
                .toList();
        return followers.isEmpty() ? null : followers.size() == 1 ? followers.get(0) : new ListenerGroup(followers);
    }

    private void each(Consumer<HoldfastListener> call) {
        RuntimeException failure = null;
        for (HoldfastListener listener : listeners) {
            try {
                call.accept(listener);
            } catch (RuntimeException broken) {
                if (failure == null) {
                    failure = broken;
                } else {
                    failure.addSuppressed(broken);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
