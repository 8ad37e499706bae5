/** {@code doctor} and what it knows of each kind of store. */
@NullMarked
package dev.holdfast.cli.doctor;

import org.jspecify.annotations.NullMarked;
