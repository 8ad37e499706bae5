package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.LockKind;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.spi.Claim;
import io.etcd.jetcd.api.KeyValue;
import java.util.ArrayList;
import java.util.List;

/**
 * A claim in the line of one name, as its key and value tell it. The value is lines of text, because neither names nor
 * labels can contain a line break. Immutable.
 *
 * @param key its key
 * @param revision the transaction that made it: its place in line
 * @param lease the session that it belongs to
 * @param owner whose it is, as text
 * @param kind what the name is used as
 * @param waits whether it stays in line when it does not fit at once
 * @param units how many it asks for
 * @param capacity of how many
 * @param offset what its revision is raised by
 * @param lines the whole value
 */
record Ticket(
        ByteString key,
        long revision,
        long lease,
        String owner,
        LockKind kind,
        boolean waits,
        int units,
        int capacity,
        long offset,
        List<String> lines) {
    private static final String FORMAT = "holdfast claim 2";
    private static final int TERMS_LINE = 1;
    private static final int OWNER_LINE = 2;
    private static final int CLIENT_LINE = 3;
    private static final int LABEL_LINE = 4;
    private static final int FIRST_NAME_LINE = 5;
    private static final int TERMS = 6;

    /** etcd takes requests of a megabyte and a half by default. */
    private static final int MOST_BYTES = 1_000_000;

    private static final int MOST_SHOWN = 40;

    /** What is written for one part of a claim; the time is for people only. */
    static ByteString write(Claim claim, Claim.Part part, long offset) {
        StringBuilder text = new StringBuilder(FORMAT)
                .append('\n')
                .append(part.kind().name())
                .append(claim.queue() ? " waits " : " tries ")
                .append(part.units())
                .append(' ')
                .append(part.capacity())
                .append(' ')
                .append(offset)
                .append(' ')
                .append(System.currentTimeMillis())
                .append('\n')
                .append(claim.owner())
                .append('\n')
                .append(claim.holder().clientName())
                .append('\n')
                .append(claim.holder().label());
        claim.parts().forEach(each -> text.append('\n').append(each.name()));
        return ByteString.copyFromUtf8(text.toString());
    }

    /** Every key tells all names of its claim, so the request that makes them grows with the square of their number. */
    static void refuseIfTooLarge(Claim claim) {
        long names = 0;
        for (Claim.Part part : claim.parts()) {
            names += part.name().length();
        }
        if (claim.parts().size() > Transactions.MOST_NAMES
                || names * claim.parts().size() > MOST_BYTES) {
            throw new StoreMisconfiguredException(
                    "etcd cannot take " + claim.parts().size()
                            + " names at once, because it takes 128 operations and a megabyte and a half in one transaction; take"
                            + " at most " + Transactions.MOST_NAMES + " names, or shorter ones");
        }
    }

    /**
     * Reads what {@link #write} wrote.
     *
     * @throws StoreMisconfiguredException if it is of another format, or something else
     */
    static Ticket read(KeyValue entry) {
        List<String> lines = List.of(entry.getValue().toStringUtf8().split("\n", -1));
        try {
            if (lines.get(0).equals(FORMAT) && lines.size() > FIRST_NAME_LINE) {
                String[] terms = lines.get(TERMS_LINE).split(" ", TERMS);
                return new Ticket(
                        entry.getKey(),
                        entry.getCreateRevision(),
                        entry.getLease(),
                        lines.get(OWNER_LINE),
                        LockKind.valueOf(terms[0]),
                        terms[1].equals("waits"),
                        Integer.parseInt(terms[2]),
                        Integer.parseInt(terms[3]),
                        Long.parseLong(terms[4]),
                        lines);
            }
        } catch (IllegalArgumentException | IndexOutOfBoundsException malformed) {
            throw foreign(lines.get(0), malformed);
        }
        throw foreign(lines.get(0), null);
    }

    private static StoreMisconfiguredException foreign(
            String found, @org.jspecify.annotations.Nullable Exception cause) {
        return new StoreMisconfiguredException(
                "a key of a lock in etcd holds '" + found.substring(0, Math.min(MOST_SHOWN, found.length()))
                        + "' instead of '" + FORMAT
                        + "'; another program or another release of Holdfast uses the same prefix",
                cause);
    }

    /** Reads a whole line, in the order of arrival. */
    static List<Ticket> readAll(List<KeyValue> entries) {
        List<Ticket> tickets = new ArrayList<>(entries.size());
        entries.forEach(entry -> tickets.add(read(entry)));
        tickets.sort(java.util.Comparator.comparingLong(Ticket::revision));
        return tickets;
    }

    long epoch() {
        return revision + offset;
    }

    /** Whether two use a name as the same. */
    boolean fits(Ticket other) {
        return kind == other.kind && capacity == other.capacity;
    }

    String clientName() {
        return lines.get(CLIENT_LINE);
    }

    String label() {
        return lines.get(LABEL_LINE);
    }

    /** All names of its claim. */
    List<String> names() {
        return lines.subList(FIRST_NAME_LINE, lines.size());
    }

    /** When its client made it, by that client's clock; for people. */
    long sinceMillis() {
        String[] terms = lines.get(TERMS_LINE).split(" ", TERMS);
        return terms.length < TERMS ? System.currentTimeMillis() : Long.parseLong(terms[TERMS - 1]);
    }
}
