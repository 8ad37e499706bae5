/** What people and scripts see of the command line: texts, tables, sentences about failures, exit codes, durations. */
@NullMarked
package dev.holdfast.cli.console;

import org.jspecify.annotations.NullMarked;
