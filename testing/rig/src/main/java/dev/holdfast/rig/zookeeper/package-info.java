/** Real ZooKeeper servers: one, or an ensemble of three with a network between them that can be cut. */
@NullMarked
package dev.holdfast.rig.zookeeper;

import org.jspecify.annotations.NullMarked;
