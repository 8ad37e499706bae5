/** Events for the Java Flight Recorder. Not for users: they see the events in a recording. */
@NullMarked
package dev.holdfast.jfr;

import org.jspecify.annotations.NullMarked;
