package dev.holdfast.zookeeper;

import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.OwnerId;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * What a node says of its owner, for people and for evictions. Lines of text, because neither names nor labels can contain
 * a line break.
 *
 * @param owner whose node it is
 * @param units how many units it asks for
 * @param clientName the client
 * @param label its note
 * @param names all names of its claim, sorted
 */
record Badge(OwnerId owner, int units, String clientName, String label, List<String> names) {
    private static final String FORMAT = "holdfast claim ";
    private static final int VERSION = 1;
    private static final int FIXED_LINES = 7;

    /** A server takes requests of a megabyte by default, and drops the connection over a larger one. */
    private static final int MOST_BYTES = 1_000_000;

    private static final int AROUND_A_NODE_BYTES = 300;

    static byte[] of(Claim claim, Claim.Part part) {
        List<String> lines = new ArrayList<>(List.of(
                FORMAT + VERSION,
                claim.owner().toString(),
                part.kind().name(),
                Integer.toString(part.units()),
                Integer.toString(part.capacity()),
                claim.holder().clientName(),
                claim.holder().label()));
        claim.parts().forEach(each -> lines.add(each.name()));
        return String.join("\n", lines).getBytes(StandardCharsets.UTF_8);
    }

    /** Every node tells all names of its claim, so the request that makes them grows with the square of their number. */
    static void refuseIfTooLarge(Claim claim) {
        long bytes = 0;
        for (int i = 0; i < claim.parts().size() && claim.parts().size() > 1 && bytes <= MOST_BYTES; i++) {
            Claim.Part part = claim.parts().get(i);
            bytes += of(claim, part).length + part.name().length() + AROUND_A_NODE_BYTES;
        }
        if (bytes > MOST_BYTES) {
            throw new StoreMisconfiguredException(
                    "ZooKeeper cannot take " + claim.parts().size()
                            + " names of this length at once, because a server takes requests of a megabyte at most; take"
                            + " fewer names, or shorter ones");
        }
    }

    /**
     * Reads what {@link #of} wrote.
     *
     * @throws StoreMisconfiguredException if it is of a newer format, or something else
     */
    static Badge parse(byte[] data) {
        List<String> lines = List.of(new String(data, StandardCharsets.UTF_8).split("\n", -1));
        if (!lines.get(0).equals(FORMAT + VERSION) || lines.size() <= FIXED_LINES) {
            throw new StoreMisconfiguredException("a node of a lock in ZooKeeper holds '"
                    + lines.get(0).substring(0, Math.min(40, lines.get(0).length())) + "' instead of '" + FORMAT
                    + VERSION
                    + "'; another program or a newer release of Holdfast uses the same base path");
        }
        return new Badge(
                OwnerId.parse(lines.get(1)),
                Integer.parseInt(lines.get(3)),
                lines.get(5),
                lines.get(6),
                List.copyOf(lines.subList(FIXED_LINES, lines.size())));
    }
}
