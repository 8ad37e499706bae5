/** What is recorded, line by line. */
@NullMarked
package dev.holdfast.torture.history;

import org.jspecify.annotations.NullMarked;
