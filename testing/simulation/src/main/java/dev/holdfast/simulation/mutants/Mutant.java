package dev.holdfast.simulation.mutants;

import java.util.List;

/**
 * A deliberate mistake.
 *
 * @param name what it is called on the command line
 * @param patches how to make it
 */
record Mutant(String name, List<Patch> patches) {
    Mutant {
        patches = List.copyOf(patches);
    }

    static Mutant of(String name, Patch... patches) {
        return new Mutant(name, List.of(patches));
    }
}
