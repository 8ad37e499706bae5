/** Benchmarks that compare things in one run, in interleaved rounds, and print ratios. */
@NullMarked
package dev.holdfast.bench;

import org.jspecify.annotations.NullMarked;
