/**
 * Locks of different makers measured side by side: each has Java processes of its own, all on one server, and they take
 * turns in rounds, so that noise hits everybody.
 */
@NullMarked
package dev.holdfast.bench.ruler;

import org.jspecify.annotations.NullMarked;
