/** Metrics and traces of locks with Micrometer. */
@NullMarked
package dev.holdfast.micrometer;

import org.jspecify.annotations.NullMarked;
