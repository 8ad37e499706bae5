/** Deliberately broken variants of the library, which the simulator has to catch. */
@NullMarked
package dev.holdfast.simulation.mutants;

import org.jspecify.annotations.NullMarked;
