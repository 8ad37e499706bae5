package dev.holdfast.jdbc.lease;

import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.ReleaseOutcome;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The names that one transaction has locked, and the rules of granting on them. What is decided here is written by
 * {@link Ledger} before the transaction ends. A waiter for one name is handed the lock directly; one for several names is
 * told to ask, because its other names are not locked here. Used by the thread of its transaction.
 */
final class Lines {
    /** The lease of a grant that its client has not asked for in this moment. */
    static final long PROVISIONAL_MICROS = 3_000_000;

    /** How long a withdrawn claim is remembered, in case a request of it arrives late. */
    private static final long TOMBSTONE_MICROS = 60_000_000;

    /** The client's own {@link Watch} looks more often, with one statement for all. */
    private static final long LONGEST_HINT_MICROS = 10_000_000;

    private static final long SHORTEST_HINT_MICROS = 1_000;

    private final String client;
    private final Patience patience;
    private final DatabaseTime time;
    private final long now;
    private final Map<String, Line> lines = new TreeMap<>();
    private final List<Notice> notices = new ArrayList<>();

    Lines(String client, Patience patience, DatabaseTime time, Collection<Line> locked) {
        this.client = client;
        this.patience = patience;
        this.time = time;
        this.now = time.now();
        locked.forEach(line -> lines.put(line.name, line));
    }

    Collection<Line> all() {
        return lines.values();
    }

    List<Notice> notices() {
        return notices;
    }

    /** Tries a claim, or asks again for one that waits. */
    AcquireOutcome acquire(Claim claim) {
        refresh();
        if (claim.parts().stream().anyMatch(part -> isBuried(lineOf(part), claim.owner()))) {
            return new AcquireOutcome.Contended(micros(LONGEST_HINT_MICROS));
        }
        List<Grant> held = heldBy(claim);
        if (!held.isEmpty()) {
            return new AcquireOutcome.Granted(held);
        }
        for (Claim.Part part : claim.parts()) {
            Line line = lineOf(part);
            if (line.mismatches(part)) {
                return new AcquireOutcome.Mismatch("'" + part.name() + "' is in use as " + line.kind + " of capacity "
                        + line.capacity + ", but was asked for as " + part.kind() + " of capacity " + part.capacity()
                        + "; use one kind and capacity for a name, or another name");
            }
        }
        long arrival = arrivalOf(claim);
        boolean fits = claim.parts().stream().allMatch(part -> {
            Line line = lineOf(part);
            return !line.isInUse() || line.fits(part.units(), arrival, claim.owner());
        });
        if (fits) {
            grant(claim, Entry.micros(claim));
            return new AcquireOutcome.Granted(heldBy(claim));
        }
        if (claim.queue()) {
            enter(claim, arrival);
        }
        return new AcquireOutcome.Contended(hint(claim));
    }

    /** Ends a claim, whether it waits or holds. */
    void withdraw(Claim claim, boolean mayStillArrive) {
        refresh();
        for (Claim.Part part : claim.parts()) {
            Line line = lines.get(part.name());
            if (line == null) {
                continue;
            }
            if (line.isHeldBy(claim.owner())) {
                line.vacate();
            }
            Entry entry = line.entryOf(claim.owner());
            if (mayStillArrive) {
                bury(line, entry, claim, part);
            } else if (entry != null && entry.takesUnits()) {
                line.remove(entry);
            }
        }
        serve();
    }

    /** Gives a grant back. */
    ReleaseOutcome release(Grant grant) {
        Line line = lines.get(grant.name());
        if (line == null) {
            return ReleaseOutcome.NOT_HELD;
        }
        line.dropExpired(now);
        Entry entry = line.entryOf(grant.owner());
        boolean all = line.isHeldBy(grant.owner()) && line.epoch == grant.epoch();
        boolean some = entry != null && entry.state == Entry.State.HOLDING && entry.epoch == grant.epoch();
        if (all) {
            line.vacate();
        } else if (some && entry != null) {
            line.remove(entry);
        }
        serve(line);
        return all || some ? ReleaseOutcome.RELEASED : ReleaseOutcome.NOT_HELD;
    }

    /** Takes a name away from all who hold it, or from the one with an epoch. */
    int evict(String name, OptionalLong only, String by, String reason) {
        refresh();
        Line line = lines.get(name);
        if (line == null) {
            return 0;
        }
        List<Long> epochs = new ArrayList<>();
        OwnerId holder = line.owner;
        if (holder != null && (only.isEmpty() || only.getAsLong() == line.epoch)) {
            epochs.add(line.epoch);
            notices.add(new Notice(
                    Objects.requireNonNull(line.party).client(), Notice.Kind.EVICTED, name, holder, line.epoch));
            line.vacate();
        }
        for (Entry entry : List.copyOf(line.entries)) {
            if (entry.state == Entry.State.HOLDING && (only.isEmpty() || only.getAsLong() == entry.epoch)) {
                epochs.add(entry.epoch);
                notices.add(new Notice(entry.party.client(), Notice.Kind.EVICTED, name, entry.owner, entry.epoch));
                line.remove(entry);
            }
        }
        if (!epochs.isEmpty()) {
            long low = epochs.stream().mapToLong(Long::longValue).min().orElseThrow();
            long high = epochs.stream().mapToLong(Long::longValue).max().orElseThrow();
            line.eviction = new Line.Eviction(low, high, now, by, reason);
            line.changed = true;
        }
        serve(line);
        return epochs.size();
    }

    /** Drops what has expired and lets in whoever fits then. */
    void refresh() {
        lines.values().forEach(line -> line.dropExpired(now));
        serve();
    }

    private Line lineOf(Claim.Part part) {
        return Objects.requireNonNull(lines.get(part.name()), "not locked");
    }

    private static boolean isBuried(Line line, OwnerId owner) {
        Entry entry = line.entryOf(owner);
        return entry != null && entry.state == Entry.State.TOMBSTONE;
    }

    /** The grants of a claim that holds all of its names; none if it does not. */
    private List<Grant> heldBy(Claim claim) {
        List<Grant> grants = new ArrayList<>();
        for (Claim.Part part : claim.parts()) {
            Line line = lineOf(part);
            Entry entry = line.entryOf(claim.owner());
            if (line.isHeldBy(claim.owner())) {
                grants.add(grant(claim, line, line.epoch, line.expires));
            } else if (entry != null && entry.state == Entry.State.HOLDING) {
                grants.add(grant(claim, line, entry.epoch, entry.expires));
            } else {
                return List.of();
            }
        }
        return grants;
    }

    private Grant grant(Claim claim, Line line, long epoch, long expires) {
        return Grants.of(claim, line.name, epoch, expires - now, line.isWanted());
    }

    /** One number for all names of a claim; where it has dropped out of one line, it is at the end of all. */
    private long arrivalOf(Claim claim) {
        long known = Long.MAX_VALUE;
        boolean complete = true;
        long last = now;
        for (Claim.Part part : claim.parts()) {
            Line line = lineOf(part);
            Entry mine = line.entryOf(claim.owner());
            complete &= mine != null;
            known = mine != null ? mine.arrival : known;
            for (Entry entry : line.entries) {
                if (entry.state == Entry.State.WAITING && !entry.owner.equals(claim.owner())) {
                    last = Math.max(last, entry.arrival + 1);
                }
            }
        }
        return complete ? known : last;
    }

    private void grant(Claim claim, long leaseMicros) {
        for (Claim.Part part : claim.parts()) {
            Line line = lineOf(part);
            line.adopt(part);
            Entry waiting = line.entryOf(claim.owner());
            Entry entry = waiting != null ? waiting : Entry.of(claim, part, Entry.State.WAITING, client, now);
            line.grant(entry, time, leaseMicros);
        }
    }

    private void enter(Claim claim, long arrival) {
        for (Claim.Part part : claim.parts()) {
            Line line = lineOf(part);
            line.adopt(part);
            Entry known = line.entryOf(claim.owner());
            Entry entry = known != null ? known : Entry.of(claim, part, Entry.State.WAITING, client, now);
            entry.arrival = arrival;
            entry.expires = now + patience.microsFor(claim);
            entry.changed = true;
            if (known == null) {
                line.add(entry);
            } else {
                line.sort();
            }
            tellHolders(line);
        }
    }

    private void tellHolders(Line line) {
        OwnerId holder = line.owner;
        if (holder != null) {
            notices.add(new Notice(
                    Objects.requireNonNull(line.party).client(), Notice.Kind.WANTED, line.name, holder, line.epoch));
        }
        for (Entry entry : line.entries) {
            if (entry.state == Entry.State.HOLDING) {
                notices.add(new Notice(entry.party.client(), Notice.Kind.WANTED, line.name, entry.owner, entry.epoch));
            }
        }
    }

    private void bury(Line line, @Nullable Entry entry, Claim claim, Claim.Part part) {
        Entry grave = entry != null ? entry : Entry.of(claim, part, Entry.State.TOMBSTONE, client, now);
        grave.state = Entry.State.TOMBSTONE;
        grave.expires = now + TOMBSTONE_MICROS;
        grave.changed = true;
        if (entry == null) {
            line.add(grave);
        }
    }

    private void serve() {
        lines.values().forEach(this::serve);
    }

    /** Hands the name to every claim at the head of the line that fits. */
    private void serve(Line line) {
        for (Entry entry : List.copyOf(line.entries)) {
            if (entry.state != Entry.State.WAITING) {
                continue;
            }
            if (line.fits(entry.units, entry.arrival, entry.owner)) {
                if (entry.parts == 1) {
                    line.grant(entry, time, Math.min(PROVISIONAL_MICROS, entry.lease));
                }
                notices.add(new Notice(entry.party.client(), Notice.Kind.ASK, line.name, entry.owner, 0));
            } else if (!line.fits(1, entry.arrival + 1, null)) {
                return;
            }
        }
    }

    private Duration hint(Claim claim) {
        long hint = LONGEST_HINT_MICROS;
        for (Claim.Part part : claim.parts()) {
            hint = lineOf(part).untilFirstExpiry(now, hint);
        }
        return micros(Math.max(hint, SHORTEST_HINT_MICROS));
    }

    static Duration micros(long micros) {
        return Duration.of(micros, ChronoUnit.MICROS);
    }

    static Duration hint(long untilExpiryMicros) {
        return micros(Math.max(SHORTEST_HINT_MICROS, Math.min(LONGEST_HINT_MICROS, untilExpiryMicros)));
    }

    /** {@return the names of a claim, in the order in which rows are locked} */
    static Set<String> namesOf(Claim claim) {
        return claim.parts().stream()
                .map(Claim.Part::name)
                .collect(java.util.stream.Collectors.toCollection(java.util.TreeSet::new));
    }
}
