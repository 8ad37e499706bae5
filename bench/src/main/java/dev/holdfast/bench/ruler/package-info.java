/**
 * Locks of different makers measured side by side: each has Java processes of its own, all on one server, and they take
 * turns in rounds, so that noise hits everybody. A {@link dev.holdfast.bench.ruler.Store} names what is measured on it.
 */
@NullMarked
package dev.holdfast.bench.ruler;

import org.jspecify.annotations.NullMarked;
