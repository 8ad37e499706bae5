package dev.holdfast.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One grant as its client saw it, all times by one clock.
 *
 * @param name the lock
 * @param epoch the grant's
 * @param shared whether others may hold beside it that are shared too
 * @param askedNanos before it was asked for
 * @param returnedNanos after the grant had come
 * @param endedNanos when the client stopped to rely on it: before its release, or at its deadline
 */
record Claimed(String name, long epoch, boolean shared, long askedNanos, long returnedNanos, long endedNanos) {

    /** Checks a whole history: epochs are unique, follow the order of grants, and no two claims overlap but shared ones. */
    static void check(List<Claimed> history) {
        checkTokens(history);
        checkExclusion(history);
    }

    /** Checks that epochs are unique and follow the order of grants. */
    static void checkTokens(List<Claimed> history) {
        check(history, Claimed::checkOrder);
    }

    /** Checks that no two claims overlap. */
    static void checkExclusion(List<Claimed> history) {
        check(history, Claimed::checkOverlaps);
    }

    private static void check(List<Claimed> history, BiConsumer<List<Claimed>, List<String>> rule) {
        Map<String, List<Claimed>> byName = history.stream().collect(Collectors.groupingBy(Claimed::name));
        List<String> problems = new ArrayList<>();
        byName.values().forEach(claims -> rule.accept(claims, problems));
        assertThat(problems).as("%s grants", history.size()).isEmpty();
    }

    /** A grant that returned before another was asked for has the smaller epoch. */
    private static void checkOrder(List<Claimed> claims, List<String> problems) {
        Set<Long> seen = new HashSet<>();
        claims.stream().filter(claim -> !seen.add(claim.epoch)).forEach(claim -> problems.add("repeated: " + claim));
        List<Claimed> byAsking = new ArrayList<>(claims);
        byAsking.sort(Comparator.comparingLong(Claimed::askedNanos));
        List<Claimed> byReturn = new ArrayList<>(claims);
        byReturn.sort(Comparator.comparingLong(Claimed::returnedNanos));
        long largest = -1;
        int returned = 0;
        for (Claimed claim : byAsking) {
            for (; byReturn.get(returned).returnedNanos < claim.askedNanos; returned++) {
                largest = Math.max(largest, byReturn.get(returned).epoch);
            }
            if (claim.epoch <= largest) {
                problems.add("went back behind " + largest + ": " + claim);
            }
        }
    }

    private static void checkOverlaps(List<Claimed> claims, List<String> problems) {
        List<Claimed> byReturn = new ArrayList<>(claims);
        byReturn.sort(Comparator.comparingLong(Claimed::returnedNanos));
        Claimed alone = null;
        Claimed shared = null;
        for (Claimed claim : byReturn) {
            if (claim.endedNanos <= claim.returnedNanos) {
                continue;
            }
            for (Claimed last : claim.shared ? new Claimed[] {alone} : new Claimed[] {alone, shared}) {
                if (last != null && claim.returnedNanos < last.endedNanos) {
                    problems.add("overlaps: " + last + " and " + claim);
                }
            }
            alone = claim.shared ? alone : later(alone, claim);
            shared = claim.shared ? later(shared, claim) : shared;
        }
    }

    private static Claimed later(@Nullable Claimed last, Claimed claim) {
        return last == null || claim.endedNanos > last.endedNanos ? claim : last;
    }
}
