/**
 * Locks in Apache ZooKeeper: ephemeral nodes in a line (or a single one), bound to the session that made them, over
 * Curator's connection. Open it by a URL {@code zookeeper://host:port,host:port/base}, or with
 * {@link dev.holdfast.zookeeper.ZooKeeperLocks} on a client that the program already has.
 */
@NullMarked
package dev.holdfast.zookeeper;

import org.jspecify.annotations.NullMarked;
