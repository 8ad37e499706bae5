package dev.holdfast.simulation.mutants;

/** A mutant does not fit the sources any more: they have changed, and the mutant has to be written anew. */
final class StaleMutantException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    StaleMutantException(String message) {
        super(message);
    }
}
