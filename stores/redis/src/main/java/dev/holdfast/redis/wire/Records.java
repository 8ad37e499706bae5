package dev.holdfast.redis.wire;

import dev.holdfast.LockKind;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.OwnerId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the scripts are given, in the layout of {@link RecordField}. Thread-safe: the text about the holder
 * is kept from one claim to the next, because most claims of a client have the same.
 */
public final class Records {
    /** Stand in line if the claim does not fit. */
    public static final int QUEUE = 1;

    /** Write a grant again that is found, so that replicas can acknowledge it. */
    public static final int TOUCH = 2;

    /** Extend a grant that is found: a part of a claim that is taken name by name. */
    public static final int EXTEND = 4;

    /** What one owner is called by. */
    public static final int OWNER_BYTES = RecordField.OWNER.end();

    private final byte[] channel;
    private volatile @Nullable About about;

    private record About(Claim.HolderInfo holder, byte[] text) {}

    public Records(String channel) {
        this.channel = Keys.bytes(channel + "\n");
    }

    /** {@return the record of one part of a claim} */
    public byte[] claim(Claim claim, Claim.Part part, int mode, List<byte[]> keys) {
        byte[] text = about(claim.holder());
        int more = keys.size() < 2
                ? 0
                : keys.stream().mapToInt(key -> key.length + 1).sum() + 1;
        ByteBuffer record = ByteBuffer.allocate(RecordField.TEXT.at() + channel.length + text.length + more);
        RecordField.OWNER.put(record, claim.owner());
        record.put(RecordField.MODE.at(), (byte) ('0' + mode)).put(RecordField.KIND.at(), kind(part.kind()));
        record.putInt(RecordField.CAPACITY.at(), part.capacity()).putInt(RecordField.UNITS.at(), part.units());
        record.putInt(RecordField.LEASE.at(), millis(claim.lease()));
        record.position(RecordField.TEXT.at()).put(channel).put(text);
        if (more > 0) {
            record.put((byte) '\n');
            keys.forEach(key -> record.put(key).put((byte) '\n'));
        }
        return record.array();
    }

    /** {@return the epoch and owner of a grant} */
    public static byte[] grant(Grant grant) {
        return grant(grant, RecordField.GRANT_OWNER.end()).array();
    }

    /** {@return the epoch and owner of a grant, and the lease it asks for} */
    public static byte[] renewal(Grant grant) {
        return grant(grant, RecordField.GRANT_LEASE.end())
                .putInt(RecordField.GRANT_LEASE.at(), millis(grant.lease()))
                .array();
    }

    public static byte[] owner(OwnerId owner) {
        ByteBuffer record = ByteBuffer.allocate(OWNER_BYTES);
        RecordField.OWNER.put(record, owner);
        return record.array();
    }

    public static OwnerId owner(ByteBuffer from) {
        return new OwnerId(from.getLong(), from.getLong());
    }

    public static byte kind(LockKind kind) {
        return switch (kind) {
            case EXCLUSIVE -> 'e';
            case READ_WRITE -> 'r';
            case SEMAPHORE -> 's';
        };
    }

    public static LockKind kind(byte letter) {
        return switch (letter) {
            case 'r' -> LockKind.READ_WRITE;
            case 's' -> LockKind.SEMAPHORE;
            default -> LockKind.EXCLUSIVE;
        };
    }

    /** Rounded up, so that the store never ends a lease early. */
    private static int millis(Duration lease) {
        return Math.toIntExact(lease.plusNanos(999_999).toMillis());
    }

    private static ByteBuffer grant(Grant grant, int bytes) {
        ByteBuffer record = ByteBuffer.allocate(bytes).putLong(RecordField.GRANT_EPOCH.at(), grant.epoch());
        RecordField.GRANT_OWNER.put(record, grant.owner());
        return record;
    }

    private byte[] about(Claim.HolderInfo holder) {
        About known = about;
        if (known == null || !known.holder.equals(holder)) {
            known = new About(holder, (holder.clientName() + "\n" + holder.label()).getBytes(StandardCharsets.UTF_8));
            about = known;
        }
        return known.text;
    }
}
