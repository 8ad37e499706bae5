/** The advice behind {@link dev.holdfast.spring.Locked}; not for applications to name. */
@NullMarked
package dev.holdfast.spring.locked;

import org.jspecify.annotations.NullMarked;
