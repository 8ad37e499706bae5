/** The strategy advisory: locks on numbers that a session of the database holds. Internal. */
@NullMarked
package dev.holdfast.jdbc.advisory;

import org.jspecify.annotations.NullMarked;
