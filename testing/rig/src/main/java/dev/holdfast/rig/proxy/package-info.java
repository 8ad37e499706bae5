/** A TCP proxy that breaks connections in the ways networks do, on demand. */
@NullMarked
package dev.holdfast.rig.proxy;

import org.jspecify.annotations.NullMarked;
