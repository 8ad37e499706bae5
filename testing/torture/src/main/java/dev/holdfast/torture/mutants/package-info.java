/** Seeded bugs that the checker has to catch. */
@NullMarked
package dev.holdfast.torture.mutants;

import org.jspecify.annotations.NullMarked;
