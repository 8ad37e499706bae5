package dev.holdfast.bench.ruler;

import java.util.Optional;

/**
 * What came out of one scenario.
 *
 * @param store where
 * @param server what it ran on
 * @param scenario which
 * @param results empty if it failed
 * @param failure why, if it failed
 */
record Finding(Store store, String server, Scenario scenario, Results results, Optional<String> failure) {

    long met() {
        return scenario.targets().stream()
                .filter(target -> target.isMet(results))
                .count();
    }

    /** The store and the scenario, for people. */
    String name() {
        return store.word() + " " + scenario.name();
    }

    boolean isGood() {
        return failure.isEmpty() && met() == scenario.targets().size();
    }
}
