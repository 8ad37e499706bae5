/** A store in a directory of one machine: for programs of one host, and for the command line. */
@NullMarked
package dev.holdfast.store.file;

import org.jspecify.annotations.NullMarked;
