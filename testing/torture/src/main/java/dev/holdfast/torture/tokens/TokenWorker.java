package dev.holdfast.torture.tokens;

import dev.holdfast.LockKind;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.OwnerId;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Takes the same names again and again and gives them back, in turns with a rival at another client. Used by one thread. */
final class TokenWorker implements Runnable {
    private static final Duration PAUSE = Duration.ofNanos(200_000);

    /** What all workers count together. */
    static final class Counts {
        final LongAdder grants = new LongAdder();
        final LongAdder wentBack = new LongAdder();
        final LongAdder unknown = new LongAdder();
    }

    private final LockStore store;
    private final Map<String, TokenLog> names;
    private final Duration lease;
    private final Counts counts;
    private final BooleanSupplier enough;
    private final SecureRandom random = new SecureRandom();

    TokenWorker(LockStore store, Map<String, TokenLog> names, Duration lease, Counts counts, BooleanSupplier enough) {
        this.store = store;
        this.names = names;
        this.lease = lease;
        this.counts = counts;
        this.enough = enough;
    }

    @Override
    public void run() {
        List<Claim.Part> parts = names.keySet().stream()
                .sorted()
                .map(name -> new Claim.Part(name, LockKind.EXCLUSIVE, Claim.MANY, Claim.MANY))
                .toList();
        while (!enough.getAsBoolean() && !Thread.currentThread().isInterrupted()) {
            turn(new Claim(
                    parts,
                    new OwnerId(random.nextLong(), random.nextLong()),
                    lease,
                    new Claim.HolderInfo("tokens", ""),
                    false));
        }
    }

    private void turn(Claim claim) {
        Map<String, Long> before = new HashMap<>();
        names.forEach((name, log) -> before.put(name, log.largest()));
        try {
            AcquireOutcome outcome = store.tryAcquire(claim);
            if (outcome instanceof AcquireOutcome.Granted granted) {
                note(granted.grants(), before);
                store.release(granted.grants());
                return;
            }
            if (outcome instanceof AcquireOutcome.Unknown) {
                giveUp(claim);
            }
        } catch (StoreUnavailableException outage) {
            giveUp(claim);
        }
        LockSupport.parkNanos(PAUSE.toNanos());
    }

    private void note(List<Grant> grants, Map<String, Long> before) {
        for (Grant grant : grants) {
            TokenLog log = names.get(grant.name());
            Long largest = before.get(grant.name());
            if (log == null || largest == null) {
                throw new IllegalStateException("granted a name that nobody asked for: " + grant.name());
            }
            if (!log.add(grant.epoch(), largest)) {
                counts.wentBack.increment();
            }
        }
        counts.grants.add(grants.size());
    }

    /** What may have been granted is given back once; otherwise its lease ends it. */
    private void giveUp(Claim claim) {
        counts.unknown.increment();
        try {
            store.withdraw(claim, true);
        } catch (StoreUnavailableException stillOut) {
            LockSupport.parkNanos(10 * PAUSE.toNanos());
        }
    }
}
