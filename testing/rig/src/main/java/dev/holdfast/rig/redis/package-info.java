/** Real Redis servers for tests: one, several, replicated under Sentinel, and a cluster. */
@NullMarked
package dev.holdfast.rig.redis;

import org.jspecify.annotations.NullMarked;
