/** What the database servers of the rig have in common. */
@NullMarked
package dev.holdfast.rig.database;

import org.jspecify.annotations.NullMarked;
