package dev.holdfast.jdbc.session;

import dev.holdfast.LockKind;
import dev.holdfast.LockView;
import dev.holdfast.spi.Grant;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Who holds one name, and who lost it last; times in microseconds of the database's clock.
 *
 * @param name the name
 * @param now the database's time
 * @param eviction the last forced release, if there was one
 * @param holders who holds it, in order of their epochs
 */
public record Roll(String name, long now, @Nullable Eviction eviction, List<Holder> holders) {
    /**
     * A forced release.
     *
     * @param low the smallest epoch that was taken away
     * @param high the largest epoch that was taken away
     * @param at when
     * @param by who did it
     * @param reason why
     */
    public record Eviction(long low, long high, long at, String by, String reason) {}

    /**
     * A holder.
     *
     * @param kind what it uses the name as
     * @param capacity how many units it thinks there are
     * @param units how many it has
     * @param epoch the epoch of its grant
     * @param backend the database's number of its session
     * @param clientName who it is, for people
     * @param label its note
     * @param since when its epoch was drawn
     */
    public record Holder(
            LockKind kind,
            int capacity,
            int units,
            long epoch,
            long backend,
            String clientName,
            String label,
            long since) {}

    /** {@return the same with only the holder that has an epoch; unchanged without an epoch} */
    Roll only(OptionalLong epoch) {
        return epoch.isEmpty()
                ? this
                : new Roll(
                        name,
                        now,
                        eviction,
                        holders.stream()
                                .filter(holder -> holder.epoch == epoch.getAsLong())
                                .toList());
    }

    boolean isEvicted(long epoch) {
        return eviction != null && eviction.low <= epoch && epoch <= eviction.high;
    }

    Optional<LockView> view() {
        Optional<LockView.Eviction> last = Optional.ofNullable(eviction)
                .map(forced -> new LockView.Eviction(forced.by, forced.reason, micros(now - forced.at)));
        List<LockView.Holder> seen = holders.stream()
                .map(holder -> new LockView.Holder(
                        holder.clientName,
                        holder.label,
                        holder.units,
                        Grant.token(holder.epoch, 0),
                        micros(now - holder.since),
                        Optional.empty()))
                .toList();
        if (seen.isEmpty()) {
            return last.map(
                    forced -> new LockView(name, LockKind.EXCLUSIVE, 1, List.of(), List.of(), Optional.of(forced)));
        }
        return Optional.of(new LockView(name, holders.get(0).kind, holders.get(0).capacity, seen, List.of(), last));
    }

    private static Duration micros(long micros) {
        return Duration.of(Math.max(0, micros), ChronoUnit.MICROS);
    }
}
