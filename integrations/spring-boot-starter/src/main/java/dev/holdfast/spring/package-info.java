/** Locks for Spring applications: what an application names in its code. */
@NullMarked
package dev.holdfast.spring;

import org.jspecify.annotations.NullMarked;
