/**
 * The engine: everything about time, waiting and losing, for all stores. Not exported.
 *
 * <p>The words: a <em>waiter</em> is a caller that wants a lease; a <em>gate</em> is where the waiters of one client meet
 * for one lock; a <em>contender</em> is one claim at the store, and <em>terms</em> are what it asks for; a
 * <em>grant</em> is the store's yes; a <em>lease</em> is what a user holds of it, and a <em>hold</em> what the engine knows of
 * that lease; a <em>turn</em> is how long a grant may be used while other clients wait. To <em>settle</em> a waiter is to
 * decide its outcome; to <em>drop</em> a claim is to end it because nobody needs it; to <em>vacate</em> a grant is to end it
 * and give it back in the background; to <em>retire</em> a gate is to take it out of use. A <em>direct attempt</em> asks for one waiter outside of
 * the line; a waiter is <em>overdue</em> when its time is up and no <em>word</em> of the store has been heard yet;
 * <em>leftovers</em> are what may be left at the store of a claim that is over; what is <em>wanted</em> is waited for by another
 * client.
 *
 * <p>To be read in this order: Terms, Waiter, Contender, AfterUnlock, Gate with Refusal, LastWord and WaitLine, ExclusiveGate,
 * HeldGrant, SharedGate, Leftovers, Batches, Tries, StoreCleanup, Engine. The rest is timers, threads and telling users.
 */
@NullMarked
package dev.holdfast.engine;

import org.jspecify.annotations.NullMarked;
