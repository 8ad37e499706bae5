/** The helper processes: the runner, the watchdog, and what is said to them through pipes. */
@NullMarked
package dev.holdfast.cli.guard;

import org.jspecify.annotations.NullMarked;
