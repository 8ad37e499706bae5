/** Guards that refuse a holder whose time is over: the last line of defence, at the data itself. */
@NullMarked
package dev.holdfast.fence;

import org.jspecify.annotations.NullMarked;
