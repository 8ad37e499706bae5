/** Torture: real processes, real servers, faults in combination, and a referee. */
@NullMarked
package dev.holdfast.torture;

import org.jspecify.annotations.NullMarked;
