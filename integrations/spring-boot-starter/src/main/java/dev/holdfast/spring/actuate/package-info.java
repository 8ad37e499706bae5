/** Endpoint, health and info; not for applications to name. */
@NullMarked
package dev.holdfast.spring.actuate;

import org.jspecify.annotations.NullMarked;
