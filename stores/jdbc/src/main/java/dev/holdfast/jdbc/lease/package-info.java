/** The lease strategy: one row per name, an expiry by the database's clock. Internal. */
@NullMarked
package dev.holdfast.jdbc.lease;

import org.jspecify.annotations.NullMarked;
