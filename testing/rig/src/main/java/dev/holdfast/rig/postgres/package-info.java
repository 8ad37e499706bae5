/** Real PostgreSQL servers for tests. */
@NullMarked
package dev.holdfast.rig.postgres;

import org.jspecify.annotations.NullMarked;
