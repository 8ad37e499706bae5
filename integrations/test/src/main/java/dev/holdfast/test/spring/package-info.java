/** Locks for tests with Spring. Begin with {@link dev.holdfast.test.spring.HoldfastTest}. */
@NullMarked
package dev.holdfast.test.spring;

import org.jspecify.annotations.NullMarked;
