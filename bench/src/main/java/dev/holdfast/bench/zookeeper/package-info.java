/** The ZooKeeper store against Curator's own lock and against a bare node; not published. */
@NullMarked
package dev.holdfast.bench.zookeeper;

import org.jspecify.annotations.NullMarked;
