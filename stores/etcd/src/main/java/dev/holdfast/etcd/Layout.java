package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.spi.OwnerId;

/**
 * Where things are: {@code PREFIX/lock/NAME\0ID} and a few keys beside. A name has no control characters, so the zero
 * byte ends it, and keys are in the order of names. Immutable.
 *
 * @param prefix what all keys begin with, a slash at its end
 */
record Layout(String prefix) {
    /** At the end of each key of a claim. */
    static final int ID_DIGITS = 32;

    /** The format of all keys, and what is added to revisions. */
    ByteString format() {
        return ByteString.copyFromUtf8(prefix + "format");
    }

    /** The key of a claim in the line of one of its names. */
    ByteString lock(String name, KeyIds.Id id) {
        return ByteString.copyFromUtf8(prefix + "lock/" + name + '\0' + id.text());
    }

    /** What the keys of all claims begin with whose names begin with some text. */
    ByteString locks(String namePrefix) {
        return ByteString.copyFromUtf8(prefix + "lock/" + namePrefix);
    }

    /** Where the line of a name begins. */
    ByteString line(String name) {
        return ByteString.copyFromUtf8(prefix + "lock/" + name + '\0');
    }

    /** Where it ends; no key is equal to this. */
    ByteString lineEnd(String name) {
        return ByteString.copyFromUtf8(prefix + "lock/" + name + '\1');
    }

    /** The tombstone of a claim. */
    ByteString gone(OwnerId owner) {
        return ByteString.copyFromUtf8(prefix + "gone/" + owner);
    }

    /** The last eviction of a name. */
    ByteString evicted(String name) {
        return ByteString.copyFromUtf8(prefix + "evicted/" + name);
    }

    /** The name in the key of a claim. */
    String name(ByteString key) {
        String text = key.toStringUtf8();
        int end = text.indexOf('\0');
        return text.substring(prefix.length() + "lock/".length(), end < 0 ? text.length() : end);
    }

    /** The first key behind all that begin with something. */
    static ByteString behind(ByteString start) {
        byte[] bytes = start.toByteArray();
        for (int i = bytes.length - 1; i >= 0; i--) {
            if (bytes[i] != (byte) 0xFF) {
                byte[] end = java.util.Arrays.copyOf(bytes, i + 1);
                end[i]++;
                return ByteString.copyFrom(end);
            }
        }
        return ByteString.copyFrom(new byte[1]);
    }
}
