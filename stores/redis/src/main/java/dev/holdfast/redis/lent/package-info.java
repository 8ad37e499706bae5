/** Clients of Jedis that the program already has. Only here are its classes needed. Internal. */
@NullMarked
package dev.holdfast.redis.lent;

import org.jspecify.annotations.NullMarked;
