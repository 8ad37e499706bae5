/** What is tortured: servers, networks between them and the workers, and what can be done to them. */
@NullMarked
package dev.holdfast.torture.rig;

import org.jspecify.annotations.NullMarked;
