/** What the strategies row and advisory share: locks that a session of the database holds. Internal. */
@NullMarked
package dev.holdfast.jdbc.session;

import org.jspecify.annotations.NullMarked;
