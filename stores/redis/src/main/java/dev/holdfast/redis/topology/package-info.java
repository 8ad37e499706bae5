/** Which server answers for a key: one server, Sentinel or Cluster; and where to listen. Internal. */
@NullMarked
package dev.holdfast.redis.topology;

import org.jspecify.annotations.NullMarked;
