/** Which store is meant: options, environment, configuration file; and the connection to it. */
@NullMarked
package dev.holdfast.cli.store;

import org.jspecify.annotations.NullMarked;
