/** The store on a quorum of independent nodes. Internal. */
@NullMarked
package dev.holdfast.redis.redlock;

import org.jspecify.annotations.NullMarked;
