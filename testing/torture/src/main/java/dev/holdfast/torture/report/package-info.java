/** The page that shows a history. */
@NullMarked
package dev.holdfast.torture.report;

import org.jspecify.annotations.NullMarked;
