package dev.holdfast.redis.wire;

import dev.holdfast.spi.OwnerId;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What stands where in the records that scripts are given and keep, written once. Java reads and writes by these; in a
 * script's file stands a name in place of each number: {@code @KIND@} is the first byte of a field, {@code @KIND_END@} the
 * last one, as Lua counts, from 1; {@code @KIND_AT@} is the first one as Redis counts, from 0. Numbers are big-endian.
 */
public enum RecordField {
    // What a claim says of one name: the argument of acquire.lua.
    OWNER(16),
    /** A digit: {@link Records#QUEUE} and its like. */
    MODE(1, OWNER),
    KIND(1, MODE),
    CAPACITY(4, KIND),
    UNITS(4, CAPACITY),
    LEASE(4, UNITS),
    /** Lines: channel, client, label; and, of a claim over several names, their keys. */
    TEXT(0, LEASE),

    // Of one holder of several, and of a waiter, two times stand in place of the owner, by whom the record is found.
    EXPIRY(8),
    EPOCH(8, EXPIRY),
    /** Of a waiter: since when. */
    SINCE(8, EXPIRY),

    // The head of a name. When the key ends, until when one alone holds it or the first of several does, the last
    // epoch.
    HEAD_FORMAT(1),
    /** A digit: 1 there is a line, 2 there are tombstones, 4 there are several holders. */
    HEAD_FLAGS(1, HEAD_FORMAT),
    HEAD_ENDS(8, HEAD_FLAGS),
    HEAD_EXPIRY(8, HEAD_ENDS),
    HEAD_EPOCH(8, HEAD_EXPIRY),
    // Behind that, what one holder's claim said.
    HEAD_OWNER(OWNER, HEAD_EPOCH),
    HEAD_KIND(KIND, HEAD_EPOCH),
    HEAD_CAPACITY(CAPACITY, HEAD_EPOCH),
    HEAD_UNITS(UNITS, HEAD_EPOCH),
    HEAD_TEXT(TEXT, HEAD_EPOCH),
    // Or, where there is no single holder, what the name is in use as, and how many units are held. It is shorter than
    // any owner.
    SUMMARY_KIND(1, HEAD_EPOCH),
    SUMMARY_CAPACITY(4, SUMMARY_KIND),
    SUMMARY_USED(4, SUMMARY_CAPACITY),

    // A grant, as it is named to release and renew it.
    GRANT_EPOCH(8),
    GRANT_OWNER(16, GRANT_EPOCH),
    GRANT_LEASE(4, GRANT_OWNER),

    // The stamp: what the generation adds to epochs, in microseconds, '1' if the slot is on its way here, and in a
    // cluster the
    // place.
    STAMP_STEP(8),
    STAMP_ARRIVING(1, STAMP_STEP),
    STAMP_PLACE(0, STAMP_ARRIVING),

    // A name on one node of a quorum: its counter, and when the key ends.
    NODE_FORMAT(1),
    /** A digit: 1 somebody waits, 2 there are tombstones, 4 there are readers, or were. */
    NODE_FLAGS(1, NODE_FORMAT),
    NODE_COUNTER(8, NODE_FLAGS),
    NODE_ENDS(8, NODE_COUNTER),
    // Behind that, while one alone holds it: until when and since when, the number of its attempt, the counter that was
    // answered to it.
    NODE_EXPIRY(8, NODE_ENDS),
    NODE_SINCE(8, NODE_EXPIRY),
    NODE_ATTEMPT(8, NODE_SINCE),
    NODE_ANSWERED(8, NODE_ATTEMPT),
    NODE_OWNER(16, NODE_ANSWERED),
    /** {@code e} a lock, {@code w} a writer. */
    NODE_KIND(1, NODE_OWNER),
    /** Lines: client and label. */
    NODE_TEXT(0, NODE_KIND),

    // A reader of a name on one node.
    READER_EXPIRY(8),
    READER_SINCE(8, READER_EXPIRY),
    READER_ATTEMPT(8, READER_SINCE),
    READER_ANSWERED(8, READER_ATTEMPT),
    READER_TEXT(0, READER_ANSWERED),

    // What one node is asked for: the argument of redlock-acquire.lua.
    ASKED_LEASE(4),
    ASKED_ATTEMPT(8, ASKED_LEASE),
    ASKED_HINT(8, ASKED_ATTEMPT),
    ASKED_OWNER(16, ASKED_HINT),
    /** {@code e} a lock, {@code w} a writer, {@code r} a reader. */
    ASKED_KIND(1, ASKED_OWNER),
    ASKED_TEXT(0, ASKED_KIND);

    private static final String LAST = "_END";
    private static final String OFFSET = "_AT";

    private final int at;
    private final int bytes;

    RecordField(int bytes) {
        this.at = 0;
        this.bytes = bytes;
    }

    RecordField(int bytes, RecordField before) {
        this.at = before.end();
        this.bytes = bytes;
    }

    /** A field of a record that stands as a whole behind another field. */
    RecordField(RecordField inside, RecordField before) {
        this.at = before.end() + inside.at;
        this.bytes = inside.bytes;
    }

    /** {@return how many bytes stand before it} */
    public int at() {
        return at;
    }

    /** {@return how many bytes a record has that ends with it} */
    public int end() {
        return at + bytes;
    }

    /** Writes an owner. */
    public void put(ByteBuffer record, OwnerId owner) {
        record.putLong(at, owner.high()).putLong(at + Long.BYTES, owner.low());
    }

    /** {@return the number for a name in a script; null if no field is called so} */
    static @Nullable Long number(String name) {
        for (RecordField field : values()) {
            if (name.equals(field.name())) {
                return field.at + 1L;
            } else if (name.equals(field.name() + LAST)) {
                return (long) field.end();
            } else if (name.equals(field.name() + OFFSET)) {
                return (long) field.at;
            }
        }
        return null;
    }
}
