/** Other libraries' locks under the same referee: one adapter each, a worker that uses them, and what is counted. */
@NullMarked
package dev.holdfast.torture.peers;

import org.jspecify.annotations.NullMarked;
