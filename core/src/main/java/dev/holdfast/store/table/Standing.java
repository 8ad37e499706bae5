package dev.holdfast.store.table;

import java.util.Set;

/**
 * Where a client's waiting claims stand.
 *
 * @param waits whether it has any
 * @param next whether one of them has nobody but holders before it
 * @param holders the clients that hold what it waits for
 * @param waiters the clients that wait ahead of it
 * @param <C> how a client is known to the table
 */
public record Standing<C>(boolean waits, boolean next, Set<C> holders, Set<C> waiters) {}
