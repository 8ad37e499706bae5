/** Connections, calls and scripts: how this module talks to a Redis server. Internal. */
@NullMarked
package dev.holdfast.redis.wire;

import org.jspecify.annotations.NullMarked;
