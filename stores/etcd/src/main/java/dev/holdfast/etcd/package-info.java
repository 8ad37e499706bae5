/**
 * Locks in etcd: a line of keys for each name, bound to a lease of etcd that is the client's session. Open it by a URL
 * {@code etcd://host:port,host:port/prefix}, or with {@link dev.holdfast.etcd.EtcdLocks} on a gRPC channel that the program
 * already has.
 */
@NullMarked
package dev.holdfast.etcd;

import org.jspecify.annotations.NullMarked;
