/** Leases that are asked for, renewed and given back over the wire, on the SPI of the stores. */
@NullMarked
package dev.holdfast.server.lease;

import org.jspecify.annotations.NullMarked;
