package dev.holdfast.etcd;

import dev.holdfast.spi.Claim;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The ids at the end of the keys of this client's claims. The same few are used again and again for a name: etcd keeps a
 * deleted key in its index until its history is compacted, and whoever reads a line passes all that there ever were.
 *
 * <p>An id is used again only if no request can arrive any more that would make or delete the keys of the claim before. A
 * process that was copied has the same ids as its copy, so a key alone does not tell whose it is: the owner is in its value.
 * Thread-safe: guarded by its own monitor.
 */
final class KeyIds {
    private static final int CLIENT_DIGITS = Layout.ID_DIGITS - Integer.BYTES * 2;

    /** The numbers that are taken, by name; only of names that this client has claims for now. */
    private final Map<String, BitSet> taken = new HashMap<>();

    /** What all ids begin with, at random. Another one follows when an id must not be used again. */
    private @Nullable String client;

    /**
     * An id.
     *
     * @param text how keys end
     * @param number which one of the client's
     */
    record Id(String text, int number) {}

    /** The first that no other claim of this client for one of the names has. */
    synchronized Id take(Claim claim) {
        BitSet others = new BitSet();
        for (Claim.Part part : claim.parts()) {
            BitSet ofName = taken.get(part.name());
            if (ofName != null) {
                others.or(ofName);
            }
        }
        int number = others.nextClearBit(0);
        for (Claim.Part part : claim.parts()) {
            taken.computeIfAbsent(part.name(), name -> new BitSet()).set(number);
        }
        if (client == null) {
            client = claim.owner().toString().substring(0, CLIENT_DIGITS);
        }
        return new Id(client + HexFormat.of().toHexDigits(number), number);
    }

    /** A claim has ended. */
    synchronized void giveBack(Claim claim, Id id, boolean usableAgain) {
        for (Claim.Part part : claim.parts()) {
            BitSet ofName = taken.get(part.name());
            if (ofName != null) {
                ofName.clear(id.number());
                if (ofName.isEmpty()) {
                    taken.remove(part.name());
                }
            }
        }
        if (!usableAgain) {
            client = null;
        }
    }
}
