/**
 * The simulator: the real engine and several clients on virtual time, over a store that delays, loses, reorders,
 * restarts and forgets, with every history checked against the properties in docs/properties.md. One seed is one history.
 */
@NullMarked
package dev.holdfast.simulation;

import org.jspecify.annotations.NullMarked;
