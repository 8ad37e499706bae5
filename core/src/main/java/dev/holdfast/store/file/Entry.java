package dev.holdfast.store.file;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.store.table.TableImage;
import java.util.OptionalLong;

/**
 * One line of the journal: a step that changed the table. Every process that applies the same entries in the same order
 * has the same table, because a step has no other input than its entry.
 */
sealed interface Entry {
    /** The wall clock of the writer, for ages that people see. Nothing is decided by it. */
    long atNanos();

    /** A claim was granted or put in line. */
    record Claimed(long atNanos, String client, Claim claim) implements Entry {}

    /** A claim was withdrawn. */
    record Ended(long atNanos, OwnerId owner) implements Entry {}

    /** A grant was given back. */
    record Released(long atNanos, Grant grant) implements Entry {}

    /** A name was taken away from its holders, or from the one with an epoch. */
    record Evicted(long atNanos, String name, OptionalLong epoch, String by, String reason) implements Entry {}

    /** A client has left or died: all its claims end. */
    record Gone(long atNanos, String client) implements Entry {}

    /** The first entry of every journal: the whole table, so that the journals before it can be deleted. */
    record Snapshot(long atNanos, long sequence, long nextEpoch, TableImage<String> image) implements Entry {}
}
