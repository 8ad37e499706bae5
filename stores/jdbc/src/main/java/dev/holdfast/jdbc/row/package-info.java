/** The strategy row: rows that a transaction keeps locked. Internal. */
@NullMarked
package dev.holdfast.jdbc.row;

import org.jspecify.annotations.NullMarked;
