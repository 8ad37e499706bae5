/** Faults drawn from a seed. */
@NullMarked
package dev.holdfast.torture.fault;

import org.jspecify.annotations.NullMarked;
