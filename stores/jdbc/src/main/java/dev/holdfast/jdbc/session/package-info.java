/** The strategies row and advisory: locks that a session of the database holds. Internal. */
@NullMarked
package dev.holdfast.jdbc.session;

import org.jspecify.annotations.NullMarked;
