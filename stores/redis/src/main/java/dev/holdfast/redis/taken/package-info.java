/**
 * Settings that are taken over from clients of other libraries. Each class here is loaded only when it is asked, so that none
 * of the libraries has to be there. Internal.
 */
@NullMarked
package dev.holdfast.redis.taken;

import org.jspecify.annotations.NullMarked;
