/** Real MySQL servers for tests. */
@NullMarked
package dev.holdfast.rig.mysql;

import org.jspecify.annotations.NullMarked;
