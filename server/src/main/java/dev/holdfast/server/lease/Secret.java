package dev.holdfast.server.lease;

import dev.holdfast.server.wire.Problem;
import dev.holdfast.spi.OwnerId;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * What all instances of a server share and nobody else knows. From it come the owners of leases, so that every instance
 * finds what a repeated request was granted, and the signatures of lease ids. Thread-safe.
 */
public final class Secret {
    /** Shorter ones can be guessed. */
    public static final int SHORTEST = 16;

    private static final String ALGORITHM = "HmacSHA256";
    private static final byte VERSION = 1;
    private static final int SIGNATURE_BYTES = 16;
    private static final int TAG_BYTES = 16;
    private static final int NONCE_BYTES = 8;
    private static final int LONGEST_ID = 16_000;
    private static final int UNSIGNED_BYTE = 0xff;
    private static final String TAG_MARK = " #";

    private final byte[] ownerKey;
    private final byte[] idKey;
    private final byte[] tagKey;

    /**
     * Derives keys.
     *
     * @param secret at least {@link #SHORTEST} bytes
     */
    public Secret(byte[] secret) {
        if (secret.length < SHORTEST) {
            throw new IllegalArgumentException("the secret must have at least " + SHORTEST + " bytes");
        }
        ownerKey = mac(secret, "owner".getBytes(StandardCharsets.UTF_8));
        idKey = mac(secret, "lease id".getBytes(StandardCharsets.UTF_8));
        tagKey = mac(secret, "tag".getBytes(StandardCharsets.UTF_8));
    }

    /** {@return the owner of every immediate grant to a scope} */
    OwnerId owner(long instance, String scope) {
        return owner("now\0" + instance + '\0' + scope);
    }

    /** {@return the owner that waits for a scope under a tag} */
    OwnerId waitingOwner(long instance, String scope, String tag) {
        return owner("wait\0" + instance + '\0' + tag + '\0' + scope);
    }

    private OwnerId owner(String of) {
        ByteBuffer bytes = ByteBuffer.wrap(mac(ownerKey, of.getBytes(StandardCharsets.UTF_8)));
        return new OwnerId(bytes.getLong(), bytes.getLong());
    }

    /** {@return a few bytes that tell one principal from another} */
    long digest(String principal) {
        return ByteBuffer.wrap(mac(tagKey, ("principal\0" + principal).getBytes(StandardCharsets.UTF_8)))
                .getLong();
    }

    /** {@return a tag by which all instances recognise a waiting request of a scope, whoever they read it from} */
    String tag(String scope, long nonce) {
        byte[] nonceBytes = ByteBuffer.allocate(NONCE_BYTES).putLong(nonce).array();
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(ByteBuffer.allocate(TAG_BYTES)
                        .put(nonceBytes)
                        .put(tagSignature(scope, nonceBytes))
                        .array());
    }

    /** {@return a client's name with a tag} */
    static String tagged(String clientName, String tag) {
        return clientName + TAG_MARK + tag;
    }

    /** {@return a client's name as people should see it} */
    public static String withoutTag(String clientName) {
        int mark = clientName.lastIndexOf(TAG_MARK);
        return mark >= 0 && clientName.length() - mark - TAG_MARK.length() == tagLength()
                ? clientName.substring(0, mark)
                : clientName;
    }

    /** {@return the tag of a client's name, if it was made for this scope} */
    Optional<String> tagOf(String clientName, String scope) {
        int mark = clientName.lastIndexOf(TAG_MARK);
        if (mark < 0 || clientName.length() - mark - TAG_MARK.length() != tagLength()) {
            return Optional.empty();
        }
        String tag = clientName.substring(mark + TAG_MARK.length());
        try {
            byte[] bytes = Base64.getUrlDecoder().decode(tag);
            byte[] nonce = Arrays.copyOf(bytes, NONCE_BYTES);
            byte[] signature = Arrays.copyOfRange(bytes, NONCE_BYTES, TAG_BYTES);
            return MessageDigest.isEqual(signature, tagSignature(scope, nonce)) ? Optional.of(tag) : Optional.empty();
        } catch (IllegalArgumentException somethingElse) {
            return Optional.empty();
        }
    }

    private static int tagLength() {
        return (TAG_BYTES * Byte.SIZE + 5) / 6;
    }

    private byte[] tagSignature(String scope, byte[] nonce) {
        byte[] text = scope.getBytes(StandardCharsets.UTF_8);
        byte[] signed = ByteBuffer.allocate(text.length + nonce.length)
                .put(nonce)
                .put(text)
                .array();
        return Arrays.copyOf(mac(tagKey, signed), TAG_BYTES - NONCE_BYTES);
    }

    /** {@return a lease id as text for a URL} */
    public String sign(LeaseId id) {
        byte[] key = id.key().getBytes(StandardCharsets.UTF_8);
        List<byte[]> names = id.names().stream()
                .map(name -> name.getBytes(StandardCharsets.UTF_8))
                .toList();
        int length = 64
                + key.length
                + names.stream().mapToInt(name -> name.length + 1 + Long.BYTES).sum();
        ByteBuffer out = ByteBuffer.allocate(length + SIGNATURE_BYTES);
        out.put(VERSION)
                .putLong(id.instance())
                .putLong(id.owner().high())
                .putLong(id.owner().low())
                .put((byte) id.kind().ordinal())
                .putInt(id.units())
                .putInt(id.capacity())
                .putLong(id.lease().toMillis())
                .putLong(id.principal())
                .put((byte) key.length)
                .put(key)
                .put((byte) names.size());
        for (int i = 0; i < names.size(); i++) {
            out.put((byte) names.get(i).length)
                    .put(names.get(i))
                    .putLong(id.epochs().get(i));
        }
        byte[] signed = Arrays.copyOf(out.array(), out.position());
        out.put(mac(idKey, signed), 0, SIGNATURE_BYTES);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(Arrays.copyOf(out.array(), out.position()));
    }

    /**
     * Reads a lease id.
     *
     * @param text the text
     * @return the id
     * @throws Problem if it was not signed with this secret
     */
    public LeaseId read(String text) {
        if (text.length() > LONGEST_ID) {
            throw unknown();
        }
        try {
            byte[] bytes = Base64.getUrlDecoder().decode(text);
            int split = bytes.length - SIGNATURE_BYTES;
            if (split < 1) {
                throw unknown();
            }
            byte[] signed = Arrays.copyOf(bytes, split);
            byte[] signature = Arrays.copyOfRange(bytes, split, bytes.length);
            byte[] right = Arrays.copyOf(mac(idKey, signed), SIGNATURE_BYTES);
            // The second condition: the last character of Base64 has bits that nothing depends on.
            if (!MessageDigest.isEqual(signature, right)
                    || !Base64.getUrlEncoder()
                            .withoutPadding()
                            .encodeToString(bytes)
                            .equals(text)) {
                throw unknown();
            }
            return read(ByteBuffer.wrap(signed));
        } catch (IllegalArgumentException | BufferUnderflowException malformed) {
            throw unknown();
        }
    }

    private static LeaseId read(ByteBuffer in) {
        if (in.get() != VERSION) {
            throw unknown();
        }
        long instance = in.getLong();
        OwnerId owner = new OwnerId(in.getLong(), in.getLong());
        Ask.Kind kind = Ask.Kind.values()[in.get()];
        int units = in.getInt();
        int capacity = in.getInt();
        Duration lease = Duration.ofMillis(in.getLong());
        long principal = in.getLong();
        String key = string(in);
        int count = in.get() & UNSIGNED_BYTE;
        List<String> names = new ArrayList<>();
        List<Long> epochs = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            names.add(string(in));
            epochs.add(in.getLong());
        }
        return new LeaseId(instance, owner, kind, units, capacity, lease, principal, key, names, epochs);
    }

    private static String string(ByteBuffer in) {
        byte[] bytes = new byte[in.get() & UNSIGNED_BYTE];
        in.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static Problem unknown() {
        return new Problem(
                Problem.Code.LEASE_UNKNOWN,
                "this is not a lease id of this server; do all its instances have the same secret?");
    }

    private static byte[] mac(byte[] key, byte[] text) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            return mac.doFinal(text);
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException("every Java has " + ALGORITHM, missing);
        }
    }
}
