/** Commands that look at locks, and {@code evict}. */
@NullMarked
package dev.holdfast.cli.look;

import org.jspecify.annotations.NullMarked;
