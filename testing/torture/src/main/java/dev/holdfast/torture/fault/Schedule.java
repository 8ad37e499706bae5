package dev.holdfast.torture.fault;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Which faults begin when, and how long they last. The same seed over the same rig gives the same schedule. */
public final class Schedule {
    /**
     * A fault at its time.
     *
     * @param id for the history
     * @param kind what
     * @param at when it begins, from the beginning of the storm
     * @param time how long it lasts
     */
    public record Planned(int id, FaultKind kind, Duration at, Duration time) {}

    private static final Duration REST = Duration.ofMillis(300);

    private Schedule() {}

    /**
     * Draws a schedule.
     *
     * @param seed where chance comes from
     * @param kinds what there is
     * @param length of the storm; faults begin in it and may end a little later
     * @param gap the mean time between two beginnings
     * @return the faults in order of time
     */
    public static List<Planned> draw(long seed, List<FaultKind> kinds, Duration length, Duration gap) {
        Random random = new Random(seed);
        int weights = kinds.stream().mapToInt(FaultKind::weight).sum();
        Map<String, Long> busyUntil = new HashMap<>();
        List<Planned> schedule = new ArrayList<>();
        long at = 0;
        while (weights > 0) {
            at += (long) (-Math.log(1 - random.nextDouble()) * gap.toMillis());
            FaultKind kind = pick(kinds, random.nextInt(weights));
            long span = kind.longest().toMillis() - kind.shortest().toMillis();
            long time = kind.shortest().toMillis() + (span <= 0 ? 0 : random.nextLong(span));
            if (at > length.toMillis()) {
                break;
            }
            if (busyUntil.getOrDefault(kind.resource(), -1L) < at) {
                busyUntil.put(kind.resource(), at + time + REST.toMillis());
                schedule.add(new Planned(schedule.size(), kind, Duration.ofMillis(at), Duration.ofMillis(time)));
            }
        }
        return List.copyOf(schedule);
    }

    /**
     * Leaves some out. The others keep their times, so that what they meet is as before.
     *
     * @param schedule what was drawn
     * @param numbers those that happen; null for all
     * @return the rest
     */
    public static List<Planned> keep(List<Planned> schedule, @Nullable List<Integer> numbers) {
        return numbers == null
                ? schedule
                : schedule.stream()
                        .filter(planned -> numbers.contains(planned.id()))
                        .toList();
    }

    private static FaultKind pick(List<FaultKind> kinds, int roll) {
        int rest = roll;
        for (FaultKind kind : kinds) {
            rest -= kind.weight();
            if (rest < 0) {
                return kind;
            }
        }
        throw new IllegalStateException("the weights do not add up");
    }
}
