/** What a run of the benchmark leaves for machines: one JSON file, written by the benchmark and read for the figures. */
@NullMarked
package dev.holdfast.bench.results;

import org.jspecify.annotations.NullMarked;
