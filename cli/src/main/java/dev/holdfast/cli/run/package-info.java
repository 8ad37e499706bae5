/** Commands that hold a lock for others: {@code run}, {@code elect}, {@code acquire}, {@code release}, {@code fence}. */
@NullMarked
package dev.holdfast.cli.run;

import org.jspecify.annotations.NullMarked;
