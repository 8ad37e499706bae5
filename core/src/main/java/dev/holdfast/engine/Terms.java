package dev.holdfast.engine;

import dev.holdfast.LockKind;
import dev.holdfast.LockOptions;
import dev.holdfast.spi.Claim;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a lock asks for, and how. Immutable; a hand-off needs equal terms on both sides. */
public final class Terms {
    /** In no name, so keys that have it can not be mistaken for a name. */
    private static final String NUL = "\0";

    private static final long AUTOMATIC_TURN = -1;

    public final List<Claim.Part> parts;
    public final LockOptions options;
    final Claim.HolderInfo holder;

    /** The gate that such locks go through. Each kind and capacity has its own; the store tells them apart. */
    final String gateKey;

    /** Whether a held lock may pass from thread to thread inside the client: a lock or write lock of one name. */
    final boolean passesLocally;

    final long stickyNanos;
    private final long turnNanos;
    private final long maxHoldNanos;

    private Terms(List<Claim.Part> parts, LockOptions options, Claim.HolderInfo holder) {
        this.parts = parts;
        this.options = options;
        this.holder = holder;
        Claim.Part first = parts.get(0);
        this.passesLocally = parts.size() == 1 && first.exclusive() && first.kind() != LockKind.SEMAPHORE;
        this.gateKey = parts.size() == 1 ? keyOf(first) : NUL + join(NUL);
        this.stickyNanos = options.stickyFor().toNanos();
        this.turnNanos = options.turn().isPresent() ? options.turn().get().toNanos() : AUTOMATIC_TURN;
        this.maxHoldNanos =
                options.maxHold().isPresent() ? options.maxHold().get().toNanos() : Long.MAX_VALUE;
    }

    /** Terms for units of several names. */
    public static Terms of(List<Claim.Part> parts, LockOptions options, Claim.HolderInfo holder) {
        return new Terms(
                parts.stream().sorted(Comparator.comparing(Claim.Part::name)).toList(), options, holder);
    }

    /** Terms for a lock of one or several names. */
    public static Terms exclusive(List<String> names, LockOptions options, Claim.HolderInfo holder) {
        return of(
                names.stream()
                        .map(name -> new Claim.Part(name, LockKind.EXCLUSIVE, 1, 1))
                        .toList(),
                options,
                holder);
    }

    private static String keyOf(Claim.Part part) {
        return switch (part.kind()) {
            case EXCLUSIVE -> part.name();
            case READ_WRITE -> part.exclusive() ? writerKey(part.name()) : readerKey(part.name());
            case SEMAPHORE -> part.name() + NUL + "s" + part.capacity();
        };
    }

    private static String readerKey(String name) {
        return name + NUL + "r";
    }

    private static String writerKey(String name) {
        return name + NUL + "w";
    }

    /** {@return the keys of the gates that pass a name on inside the client} */
    static List<String> passingKeys(String name) {
        return List.of(name, writerKey(name));
    }

    /** {@return the gates of the client whose waiters a release may serve} */
    List<String> servedKeys() {
        Claim.Part first = parts.get(0);
        return first.kind() == LockKind.READ_WRITE
                ? List.of(readerKey(first.name()), writerKey(first.name()))
                : List.of(gateKey);
    }

    /** Whether this is a lock of kind EXCLUSIVE on one name. */
    boolean isPlainLock() {
        return passesLocally && parts.get(0).kind() == LockKind.EXCLUSIVE;
    }

    /** How long a turn lasts, given what a hand-over through the store costs. */
    long turnNanos(HandOverCost cost) {
        return turnNanos == AUTOMATIC_TURN ? cost.turnNanos() : turnNanos;
    }

    /** When a lease that begins now has to end at the latest. */
    long endsByNanos(long now) {
        return maxHoldNanos == Long.MAX_VALUE ? maxHoldNanos : now + maxHoldNanos;
    }

    /** {@return the names, for messages} */
    public String describe() {
        return join(",");
    }

    private String join(String separator) {
        return parts.size() == 1
                ? parts.get(0).name()
                : String.join(separator, parts.stream().map(Claim.Part::name).toList());
    }

    boolean exclusive() {
        for (Claim.Part part : parts) {
            if (!part.exclusive()) {
                return false;
            }
        }
        return true;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other
                || (other instanceof Terms that && parts.equals(that.parts) && options.equals(that.options));
    }

    @Override
    public int hashCode() {
        return parts.hashCode();
    }
}
