/** {@code top}: the full-screen view of locks. One thread draws; one asks the store; one reads keys. */
@NullMarked
package dev.holdfast.cli.top;

import org.jspecify.annotations.NullMarked;
