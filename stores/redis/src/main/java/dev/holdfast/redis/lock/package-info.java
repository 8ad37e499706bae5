/** The store on one master for each name. Internal. */
@NullMarked
package dev.holdfast.redis.lock;

import org.jspecify.annotations.NullMarked;
