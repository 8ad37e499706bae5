/** The rules of granting, as a pure state machine: no clock, no thread, no I/O of its own. */
@NullMarked
package dev.holdfast.store.table;

import org.jspecify.annotations.NullMarked;
