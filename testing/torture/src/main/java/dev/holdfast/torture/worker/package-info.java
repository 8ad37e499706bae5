/** The processes that take locks. */
@NullMarked
package dev.holdfast.torture.worker;

import org.jspecify.annotations.NullMarked;
