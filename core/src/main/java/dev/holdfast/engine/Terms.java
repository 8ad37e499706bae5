package dev.holdfast.engine;

import dev.holdfast.LockKind;
import dev.holdfast.LockOptions;
import dev.holdfast.spi.Claim;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a lock asks for, and how. Immutable; a hand-off needs equal terms on both sides. */
final class Terms {
    final List<Claim.Part> parts;
    final LockOptions options;
    final Claim.HolderInfo holder;

    /** The gate that such locks go through. A NUL is in no name, so several names never meet the gate of one. */
    final String gateKey;

    /** Whether a held lock may pass from thread to thread inside the client: one name, all of its units. */
    final boolean passesLocally;

    final long stickyNanos;
    final long handOffNanos;

    private Terms(List<Claim.Part> parts, LockOptions options, Claim.HolderInfo holder) {
        this.parts = parts;
        this.options = options;
        this.holder = holder;
        this.gateKey = join("\0");
        this.passesLocally = parts.size() == 1 && parts.get(0).exclusive();
        this.stickyNanos = options.stickyFor().toNanos();
        this.handOffNanos = options.turn().orElse(Duration.ofMillis(10)).toNanos();
    }

    static Terms of(List<Claim.Part> parts, LockOptions options, Claim.HolderInfo holder) {
        return new Terms(
                parts.stream().sorted(Comparator.comparing(Claim.Part::name)).toList(), options, holder);
    }

    static Terms exclusive(List<String> names, LockOptions options, Claim.HolderInfo holder) {
        return of(
                names.stream()
                        .map(name -> new Claim.Part(name, LockKind.EXCLUSIVE, 1, 1))
                        .toList(),
                options,
                holder);
    }

    String describe() {
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
