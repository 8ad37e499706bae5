package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.spi.Grant;

/**
 * What the key {@code format} holds: the version of all keys and the offset that makes revisions to epochs. Immutable.
 *
 * @param offset what is added to revisions; never becomes less
 */
record Format(long offset) {
    private static final String VERSION = "holdfast 2 ";

    /** More changes than etcd can make in a millisecond: epochs never overtake the clock. */
    private static final long EPOCHS_PER_MILLI = 131;

    /** 2025-01-01. */
    private static final long BEGINNING_MILLIS = 1_735_689_600_000L;

    /** Less than a restore takes, and more than the answer to a request. */
    private static final long AHEAD_MILLIS = 1_000;

    private static final int MOST_SHOWN = 40;

    ByteString write() {
        return ByteString.copyFromUtf8(VERSION + offset);
    }

    /**
     * Reads what {@link #write} wrote.
     *
     * @throws StoreMisconfiguredException if it is of a newer format, or something else
     */
    static Format read(ByteString value) {
        String text = value.toStringUtf8();
        try {
            if (text.startsWith(VERSION)) {
                return new Format(Long.parseLong(text.substring(VERSION.length())));
            }
        } catch (NumberFormatException malformed) {
            throw new StoreMisconfiguredException("the key 'format' in etcd is damaged", malformed);
        }
        throw new StoreMisconfiguredException(
                "the key 'format' in etcd holds '" + text.substring(0, Math.min(MOST_SHOWN, text.length()))
                        + "'; another program or another release of Holdfast uses the same prefix");
    }

    /**
     * The same, or one with which the next epoch lies above all that were ever given, by a wall clock. It is raised a little
     * further, so that of many sessions that begin at about the same time one has to change the key, and not each.
     *
     * @param known the largest epoch that this client may have seen, whatever the clock says
     */
    Format raised(long revision, long wallMillis, long known) {
        if (floor(wallMillis) >= Grant.EPOCH_LIMIT / 2) {
            throw new StoreMisconfiguredException(
                    "the clock of this machine is centuries ahead, and fencing tokens would follow it; set it right");
        }
        return revision + offset >= Math.max(floor(wallMillis), known)
                ? this
                : new Format(Math.max(floor(wallMillis + AHEAD_MILLIS), known) - revision);
    }

    private static long floor(long wallMillis) {
        return Math.max(0, wallMillis - BEGINNING_MILLIS) * EPOCHS_PER_MILLI;
    }
}
