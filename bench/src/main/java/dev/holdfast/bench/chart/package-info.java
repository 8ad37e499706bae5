/** What pictures are drawn with: shapes and words as SVG, and a logarithmic scale. */
@NullMarked
package dev.holdfast.bench.chart;

import org.jspecify.annotations.NullMarked;
