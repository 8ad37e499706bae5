/** Certificates for tests, made at run time with the JDK's own tools. */
@NullMarked
package dev.holdfast.rig.tls;

import org.jspecify.annotations.NullMarked;
