/** Real etcd servers: one, or a cluster of three with a network between them that can be disturbed. */
@NullMarked
package dev.holdfast.rig.etcd;

import org.jspecify.annotations.NullMarked;
