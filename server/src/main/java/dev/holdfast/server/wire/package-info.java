/** HTTP, JSON and event streams: nothing here knows what a lock is. */
@NullMarked
package dev.holdfast.server.wire;

import org.jspecify.annotations.NullMarked;
