/** Real MariaDB servers for tests. */
@NullMarked
package dev.holdfast.rig.mariadb;

import org.jspecify.annotations.NullMarked;
