package dev.holdfast.torture.mutants;

import java.util.List;
import java.util.Set;

/**
 * A deliberate mistake, of which somebody has made one like it.
 *
 * @param word its name on the command line
 * @param rig where it is hunted
 * @param breaks the properties that it breaks; a violation of one of them is how it is caught
 * @param inCalm whether it shows only where little else is broken, so that faults are no excuse
 * @param patches how to make it; none for one that stands in front of the store, see {@link Mutant}
 */
public record Bug(String word, String rig, Set<String> breaks, boolean inCalm, List<Patch> patches) {
    static Bug of(String word, String rig, String breaks, Patch... patches) {
        return new Bug(word, rig, Set.of(breaks.split(" ", -1)), false, List.of(patches));
    }

    Bug showingInCalm() {
        return new Bug(word, rig, breaks, true, patches);
    }

    /** {@return whether it is a change of the sources, with which the workers have to be started} */
    public boolean isPatch() {
        return !patches.isEmpty();
    }
}
