/** {@code holdfast serve}: locks over HTTP. */
@NullMarked
package dev.holdfast.cli.serve;

import org.jspecify.annotations.NullMarked;
