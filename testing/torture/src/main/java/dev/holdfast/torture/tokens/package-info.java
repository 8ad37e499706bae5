/** Very many grants while servers lose their memory: does a token repeat, or go back? */
@NullMarked
package dev.holdfast.torture.tokens;

import org.jspecify.annotations.NullMarked;
