/** A store in the memory of one process: for tests, for trying things out, and for programs of one process. */
@NullMarked
package dev.holdfast.store.memory;

import org.jspecify.annotations.NullMarked;
