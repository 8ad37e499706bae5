/** Locks, fenced writes and optimistic updates on relational databases. */
@NullMarked
package dev.holdfast.jdbc;

import org.jspecify.annotations.NullMarked;
