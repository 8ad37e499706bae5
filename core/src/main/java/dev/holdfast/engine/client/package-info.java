/**
 * What stands between a user and the engine: the client and the kinds of locks that it makes, elections, and the threads of
 * a real client. Nothing here decides who holds a lock. Not exported.
 */
@NullMarked
package dev.holdfast.engine.client;

import org.jspecify.annotations.NullMarked;
