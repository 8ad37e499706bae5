/** What differs between databases, and the way to their connections. Internal. */
@NullMarked
package dev.holdfast.jdbc.dialect;

import org.jspecify.annotations.NullMarked;
