/**
 * Tests of code that uses locks: on a store in memory, with a time that the test moves, and with faults on demand.
 * Begin with {@link dev.holdfast.test.TestLocks}.
 */
@NullMarked
package dev.holdfast.test;

import org.jspecify.annotations.NullMarked;
