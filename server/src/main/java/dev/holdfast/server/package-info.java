/** Locks over HTTP and JSON, for programs in any language, on any store; and a console in the browser. */
@NullMarked
package dev.holdfast.server;

import org.jspecify.annotations.NullMarked;
