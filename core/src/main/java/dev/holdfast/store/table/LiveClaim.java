package dev.holdfast.store.table;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/**
 * A claim that holds or waits. Guarded by whoever guards the {@link LockTable}.
 *
 * @param <C> how a client is known to the table
 */
final class LiveClaim<C> {
    /** In place of a time: the claim ends with its client. */
    static final long NEVER = Long.MAX_VALUE;

    final Claim claim;
    final C client;

    /** One number for all names of the claim: who came first is the same question in every line. */
    final long arrival;

    long sinceNanos;
    long expiresAtNanos;

    /** One epoch per part while held, 0 for a part that was given back; none while waiting. */
    private long[] epochs = WAITING;

    private static final long[] WAITING = {};

    LiveClaim(Claim claim, C client, long arrival, long nowNanos) {
        this.claim = claim;
        this.client = client;
        this.arrival = arrival;
        this.sinceNanos = nowNanos;
    }

    LiveClaim(TableImage.Entry<C> entry) {
        this(entry.claim(), entry.client(), entry.arrival(), entry.sinceNanos());
        this.expiresAtNanos = entry.expiresAtNanos();
        if (!entry.epochs().isEmpty()) {
            this.epochs = entry.epochs().stream().mapToLong(Long::longValue).toArray();
        }
    }

    TableImage.Entry<C> image() {
        List<Long> kept = Arrays.stream(epochs).boxed().toList();
        return new TableImage.Entry<>(claim, client, arrival, sinceNanos, expiresAtNanos, kept);
    }

    boolean expires() {
        return expiresAtNanos != NEVER;
    }

    boolean holds() {
        return epochs != WAITING;
    }

    void hold(long[] grantedEpochs, long nowNanos, long untilNanos) {
        epochs = grantedEpochs;
        sinceNanos = nowNanos;
        expiresAtNanos = untilNanos;
    }

    /** Gives up one name, or everything; true if nothing is left. */
    boolean drop(int part) {
        epochs[part] = 0;
        for (long epoch : epochs) {
            if (epoch != 0) {
                return false;
            }
        }
        return true;
    }

    long epoch(int part) {
        return epochs[part];
    }

    /** The index of the held part that a grant speaks of, by name and epoch; -1 if it speaks of something else. */
    int partOf(Grant grant) {
        List<Claim.Part> parts = claim.parts();
        for (int i = 0; i < epochs.length; i++) {
            if (epochs[i] == grant.epoch() && parts.get(i).name().equals(grant.name())) {
                return i;
            }
        }
        return -1;
    }

    int partNamed(String name) {
        List<Claim.Part> parts = claim.parts();
        for (int i = 0; i < parts.size(); i++) {
            if (parts.get(i).name().equals(name)) {
                return i;
            }
        }
        throw new IllegalStateException("the claim has no part '" + name + "'");
    }

    int units(String name) {
        return claim.parts().get(partNamed(name)).units();
    }

    Grant grant(int part, long nowNanos, boolean wanted) {
        Duration lease = claim.lease();
        String name = claim.parts().get(part).name();
        if (!expires()) {
            return new Grant(name, claim.owner(), epochs[part], lease, null, String.valueOf(client), wanted);
        }
        long left = expiresAtNanos - nowNanos;
        Duration validFor = left == lease.toNanos() ? lease : Duration.ofNanos(left);
        return new Grant(name, claim.owner(), epochs[part], lease, validFor, null, wanted);
    }
}
