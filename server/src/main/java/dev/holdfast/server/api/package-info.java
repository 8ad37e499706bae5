/** The paths of the API, and what they do. */
@NullMarked
package dev.holdfast.server.api;

import org.jspecify.annotations.NullMarked;
