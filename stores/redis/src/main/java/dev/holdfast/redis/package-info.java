/** Locks on Redis: one node, Sentinel and Cluster; and a guard for data in Redis that checks fencing tokens. */
@NullMarked
package dev.holdfast.redis;

import org.jspecify.annotations.NullMarked;
