/** What this instance saw of the locks in the last minutes. */
@NullMarked
package dev.holdfast.server.history;

import org.jspecify.annotations.NullMarked;
