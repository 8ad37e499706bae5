/** The process that owns the registers and the clock. */
@NullMarked
package dev.holdfast.torture.referee;

import org.jspecify.annotations.NullMarked;
