/** Elections as events and as the life of beans; not for applications to name. */
@NullMarked
package dev.holdfast.spring.election;

import org.jspecify.annotations.NullMarked;
