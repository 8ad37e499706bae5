package dev.holdfast.spring.actuate;

import dev.holdfast.Holdfast;
import dev.holdfast.LockView;
import dev.holdfast.spring.locked.ScheduledRuns;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/** Shows locks, and takes one away from its holders where the endpoint's access is unrestricted. */
@Endpoint(id = "locks", defaultAccess = Access.READ_ONLY)
public final class LocksEndpoint {
    private static final int DEFAULT_LIMIT = 100;
    private static final int LARGEST_LIMIT = 10_000;

    private final Holdfast locks;
    private final List<ScheduledRuns> runs;

    /**
     * Makes the endpoint.
     *
     * @param locks the client
     * @param runs the last runs of scheduled methods, or nothing
     */
    public LocksEndpoint(Holdfast locks, List<ScheduledRuns> runs) {
        this.locks = locks;
        this.runs = runs;
    }

    /**
     * Lists locks.
     *
     * @param prefix what their names begin with; null for all
     * @param limit how many at most; null for 100
     * @return the locks, and the last runs of scheduled methods
     */
    @ReadOperation
    @SuppressWarnings("deprecation") // Boot 3 takes a parameter as optional only with this annotation.
    public Overview list(
            @org.springframework.lang.Nullable String prefix, @org.springframework.lang.Nullable Integer limit) {
        int most = limit == null ? DEFAULT_LIMIT : limit;
        if (most < 1 || most > LARGEST_LIMIT) {
            throw new InvalidEndpointRequestException(
                    "the limit must be from 1 to " + LARGEST_LIMIT, "limit must be from 1 to " + LARGEST_LIMIT);
        }
        return new Overview(
                locks.clientName(),
                locks.list(prefix == null ? "" : prefix, most).stream()
                        .map(Shown::of)
                        .toList(),
                runs.stream().flatMap(each -> each.all().stream()).toList());
    }

    /**
     * Shows one lock.
     *
     * @param name the parts of its name, which may have slashes
     * @return the lock; null if nobody holds it or waits for it
     */
    @ReadOperation
    public @Nullable Shown show(@Selector(match = Selector.Match.ALL_REMAINING) String... name) {
        return locks.inspect(String.join("/", name)).map(Shown::of).orElse(null);
    }

    /**
     * Takes a lock away from its holders.
     *
     * @param reason why; recorded at the store
     * @param token only the holder with this token; null for all
     * @param name the parts of its name, which may have slashes
     * @return how many holders were evicted
     */
    @DeleteOperation
    @SuppressWarnings("deprecation") // As for list.
    public Evicted evict(
            String reason,
            @org.springframework.lang.Nullable String token,
            @Selector(match = Selector.Match.ALL_REMAINING) String... name) {
        String lock = String.join("/", name);
        try {
            int holders = token == null ? locks.evict(lock, reason) : locks.evict(lock, Long.parseLong(token), reason);
            return new Evicted(lock, holders);
        } catch (IllegalArgumentException wrong) {
            throw new InvalidEndpointRequestException(String.valueOf(wrong.getMessage()), "the request is not valid");
        }
    }

    /**
     * All that is shown.
     *
     * @param client this instance
     * @param locks held or waited for
     * @param scheduled the last runs of scheduled methods on this instance
     */
    public record Overview(String client, List<Shown> locks, List<ScheduledRuns.Run> scheduled) {}

    /**
     * One lock.
     *
     * @param name its name
     * @param kind what it is used as
     * @param capacity how many units there are
     * @param holders who holds it
     * @param waiters who waits
     */
    public record Shown(String name, String kind, int capacity, List<Holder> holders, List<Waiter> waiters) {
        static Shown of(LockView view) {
            return new Shown(
                    view.name(),
                    view.kind().name(),
                    view.capacity(),
                    view.holders().stream().map(Holder::of).toList(),
                    view.waiters().stream().map(Waiter::of).toList());
        }
    }

    /**
     * One holder.
     *
     * @param client its name
     * @param label the method or note
     * @param units how many units it holds
     * @param token as text, because it is larger than numbers in JSON can be
     * @param heldForMillis since when
     * @param remainingMillis until when without a renewal; null where it lives as long as a session
     */
    public record Holder(
            String client,
            String label,
            int units,
            String token,
            long heldForMillis,
            @Nullable Long remainingMillis) {
        static Holder of(LockView.Holder holder) {
            return new Holder(
                    holder.clientName(),
                    holder.label(),
                    holder.units(),
                    Long.toString(holder.token()),
                    holder.heldFor().toMillis(),
                    holder.remaining().map(java.time.Duration::toMillis).orElse(null));
        }
    }

    /**
     * One waiter.
     *
     * @param client its name
     * @param label the method or note
     * @param units how many units it asks for
     * @param waitingForMillis since when
     */
    public record Waiter(String client, String label, int units, long waitingForMillis) {
        static Waiter of(LockView.Waiter waiter) {
            return new Waiter(
                    waiter.clientName(),
                    waiter.label(),
                    waiter.units(),
                    waiter.waitingFor().toMillis());
        }
    }

    /**
     * What an eviction did.
     *
     * @param name the lock
     * @param holders how many lost it
     */
    public record Evicted(String name, int holders) {}
}
