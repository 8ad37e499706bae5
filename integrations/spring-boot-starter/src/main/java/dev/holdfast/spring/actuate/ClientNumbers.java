package dev.holdfast.spring.actuate;

import dev.holdfast.ClientStatistics;
import dev.holdfast.HoldfastEvent;
import dev.holdfast.HoldfastListener;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Keeps the numbers of the application's client for health and the endpoint. Thread-safe. */
public final class ClientNumbers implements HoldfastListener {
    private volatile @Nullable ClientStatistics statistics;

    /** Makes one without numbers. */
    public ClientNumbers() {}

    @Override
    public void on(HoldfastEvent event) {
        // Numbers are asked for when they are wanted.
    }

    /** It ignores events, so they need not wake a thread for it. */
    @Override
    public Duration longestDelay() {
        return Duration.ofSeconds(1);
    }

    @Override
    public void opened(ClientStatistics numbers) {
        this.statistics = numbers;
    }

    /** {@return the numbers; empty if the client was made without this listener} */
    public Optional<ClientStatistics> get() {
        return Optional.ofNullable(statistics);
    }
}
