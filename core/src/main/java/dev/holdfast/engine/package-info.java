/**
 * The engine: everything that has to do with waiting and time. Not exported; what is public here is public for the
 * simulator, which runs the same engine on virtual time.
 */
@NullMarked
package dev.holdfast.engine;

import org.jspecify.annotations.NullMarked;
