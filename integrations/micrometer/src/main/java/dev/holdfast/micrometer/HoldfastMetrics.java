package dev.holdfast.micrometer;

import dev.holdfast.ClientStatistics;
import dev.holdfast.ClientStatistics.Calls;
import dev.holdfast.ClientStatistics.Operation;
import dev.holdfast.HoldfastEvent;
import dev.holdfast.HoldfastListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Metrics of locks. Make one for a registry, and give it to each client as its listener:
 *
 * <pre>{@code
 * HoldfastMetrics metrics = HoldfastMetrics.of(registry);
 * Holdfast locks = Holdfast.builder().url("redis://localhost:6379").listener(metrics).build();
 * }</pre>
 *
 * <p>No meter has the name of a lock as a tag, unless {@link Builder#lockTag} is given. What is held, waiting, overdue or
 * handed over, and calls to the store, are read from the clients when the registry asks, so they are right even when a
 * client drops events because its listeners are too slow. Timers and the other counters then miss what was dropped;
 * {@code holdfast.events.dropped} tells how much. Thread-safe.
 */
public final class HoldfastMetrics implements HoldfastListener {
    /** More would be a leak in most monitoring systems. */
    private static final int MOST_LOCK_TAGS = 1_000;

    /** Much shorter than anybody looks at metrics, and short enough for what a client keeps back. */
    private static final Duration DELAY = Duration.ofMillis(20);

    private static final String NO_TAG = "";
    private static final String OTHER = "other";

    private final MeterRegistry registry;
    private final Tags tags;
    private final @Nullable Function<String, @Nullable String> lockTag;
    private final Clients clients = new Clients();
    private final Map<String, LockMeters> locks = new ConcurrentHashMap<>();
    private final Counter leaks;
    private final Counter evictions;
    private final Counter failedCallbacks;

    private HoldfastMetrics(Builder builder) {
        this.registry = builder.registry;
        this.tags = builder.tags;
        this.lockTag = builder.lockTag;
        this.leaks = counter("holdfast.leaks", "leases that became unreachable without having been released");
        this.evictions = counter("holdfast.evictions", "holders that this process took a lock away from");
        this.failedCallbacks = counter("holdfast.callbacks.failed", "callbacks of the application that threw");
        registerNumbers();
        registerCalls();
        if (lockTag == null) {
            metersOf(NO_TAG);
        }
    }

    /**
     * Makes metrics without names of locks.
     *
     * @param registry where they are kept
     * @return the metrics
     */
    public static HoldfastMetrics of(MeterRegistry registry) {
        return builder(registry).build();
    }

    /**
     * Makes metrics with settings.
     *
     * @param registry where they are kept
     * @return a builder
     */
    public static Builder builder(MeterRegistry registry) {
        return new Builder(registry);
    }

    private Counter counter(String name, String description) {
        return Counter.builder(name).description(description).tags(tags).register(registry);
    }

    private void registerNumbers() {
        Gauge.builder("holdfast.held", clients, all -> all.sum(ClientStatistics::held))
                .description("leases that are out")
                .tags(tags)
                .strongReference(true)
                .register(registry);
        Gauge.builder("holdfast.waiting", clients, all -> all.sum(ClientStatistics::waiting))
                .description("attempts that have begun and not ended")
                .tags(tags)
                .strongReference(true)
                .register(registry);
        TimeGauge.builder("holdfast.renewal.overdue", clients, TimeUnit.NANOSECONDS, Clients::longestLagNanos)
                .description("the longest time since which the renewal of a held lock is due")
                .tags(tags)
                .strongReference(true)
                .register(registry);
        handOffs("local", ClientStatistics::localHandOffs);
        handOffs("remote", ClientStatistics::remoteHandOffs);
        FunctionCounter.builder(
                        "holdfast.events.dropped", clients.total(ClientStatistics::droppedEvents), Clients.Total::value)
                .description("events that listeners were too slow for")
                .tags(tags)
                .register(registry);
    }

    private void handOffs(String scope, ToLongFunction<ClientStatistics> number) {
        FunctionCounter.builder("holdfast.handoffs", clients.total(number), Clients.Total::value)
                .description(
                        "locks that went to a waiter: to another thread of the client, or to the client by the store")
                .tags(tags.and("scope", scope))
                .register(registry);
    }

    private void registerCalls() {
        for (Operation operation : Operation.values()) {
            calls(operation, "answered", client -> client.answered(operation));
            calls(operation, "unanswered", client -> client.unanswered(operation));
        }
    }

    private void calls(Operation operation, String outcome, Function<ClientStatistics, Calls> number) {
        Clients.Total count = clients.total(client -> number.apply(client).count());
        Clients.Total nanos =
                clients.total(client -> number.apply(client).time().toNanos());
        FunctionTimer.builder(
                        "holdfast.store.calls",
                        count,
                        counted -> (long) counted.value(),
                        ignored -> nanos.value(),
                        TimeUnit.NANOSECONDS)
                .description("calls to the store")
                .tags(tags.and("operation", operation.name().toLowerCase(Locale.ROOT), "outcome", outcome))
                .register(registry);
    }

    @Override
    public void opened(ClientStatistics statistics) {
        clients.add(statistics);
    }

    @Override
    public Duration longestDelay() {
        return DELAY;
    }

    @Override
    public void on(HoldfastEvent event) {
        if (event instanceof HoldfastEvent.Acquired acquired) {
            metersOf(event).acquired(acquired.source(), acquired.waited());
        } else if (event instanceof HoldfastEvent.Released released) {
            metersOf(event).hold.record(released.held());
        } else if (event instanceof HoldfastEvent.NotAcquired refused) {
            metersOf(event).contended.record(refused.waited());
        } else if (event instanceof HoldfastEvent.Failed failed) {
            metersOf(event).failed.record(failed.waited());
        } else if (event instanceof HoldfastEvent.Abandoned abandoned) {
            metersOf(event).abandoned.record(abandoned.waited());
        } else if (event instanceof HoldfastEvent.Renewed renewed) {
            metersOf(event).renewalLag.record(renewed.lag());
        } else if (event instanceof HoldfastEvent.Lost lost) {
            metersOf(event).lost(lost.reason());
        } else if (event instanceof HoldfastEvent.Leaked) {
            leaks.increment();
        } else if (event instanceof HoldfastEvent.Evicted evicted) {
            evictions.increment(evicted.holders());
        } else if (event instanceof HoldfastEvent.CallbackFailed) {
            failedCallbacks.increment();
        }
    }

    private LockMeters metersOf(HoldfastEvent event) {
        if (lockTag == null) {
            return metersOf(NO_TAG);
        }
        String wanted = lockTag.apply(event.lockName());
        String tag = wanted == null || wanted.isBlank() ? OTHER : wanted;
        LockMeters known = locks.get(tag);
        if (known != null) {
            return known;
        }
        return metersOf(locks.size() < MOST_LOCK_TAGS ? tag : OTHER);
    }

    private LockMeters metersOf(String tag) {
        LockMeters known = locks.get(tag);
        return known != null
                ? known
                : locks.computeIfAbsent(
                        tag,
                        fresh -> new LockMeters(registry, lockTag == null ? tags : tags.and(Tag.of("lock", fresh))));
    }

    /** Settings of {@link HoldfastMetrics}. Not thread-safe; each method returns this builder. */
    public static final class Builder {
        private final MeterRegistry registry;
        private Tags tags = Tags.empty();
        private @Nullable Function<String, @Nullable String> lockTag;

        private Builder(MeterRegistry registry) {
            this.registry = Objects.requireNonNull(registry, "registry");
        }

        /**
         * Adds tags to every meter. They must differ where a registry has more than one {@link HoldfastMetrics}.
         *
         * @param common the tags
         * @return this builder
         */
        public Builder tags(Iterable<Tag> common) {
            this.tags = tags.and(common);
            return this;
        }

        /**
         * Adds the tag {@code lock} to the meters of single locks. The function makes a tag of a lock's name: it should
         * return few different values, such as {@code orders} for {@code orders/42}. Null and blank become {@code other},
         * and so does whatever is new beyond 1,000 values.
         *
         * @param tagOfName makes a tag of a name; called with several names joined by a comma where a lock has several
         * @return this builder
         */
        public Builder lockTag(Function<String, @Nullable String> tagOfName) {
            this.lockTag = Objects.requireNonNull(tagOfName, "tagOfName");
            return this;
        }

        /** {@return the metrics} */
        public HoldfastMetrics build() {
            return new HoldfastMetrics(this);
        }
    }
}
