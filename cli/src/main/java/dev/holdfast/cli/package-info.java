/**
 * The command line: runs a command under a lock, and shows, watches and evicts locks. Started by the launcher
 * {@code holdfast}, which also starts the watchdog and the runner that {@code run} needs.
 */
@NullMarked
package dev.holdfast.cli;

import org.jspecify.annotations.NullMarked;
