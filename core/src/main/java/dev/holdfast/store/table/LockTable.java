package dev.holdfast.store.table;

import dev.holdfast.LockView;
import dev.holdfast.LossReason;
import dev.holdfast.StoreTraits;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.RenewOutcome;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Who holds and who waits, for every name: the rules of granting as a state machine.
 *
 * <p>Every step takes the time as an argument and runs to its end; the caller serialises the steps. Each step that looks
 * at a name first drops what has expired there, and each step that frees units then grants every waiter at the head of
 * the line that fits. A waiter that is granted this way gets a short provisional lease, because its client may be gone;
 * the client renews it at once. Nothing is kept for a name without holders and waiters: epochs come from one source for
 * all names.
 *
 * <p>Where a store watches its clients itself, nothing expires by time: a claim lives until it is ended, or until its
 * client {@linkplain #leave leaves}.
 *
 * <p>Not thread-safe. Longer than most files, because the rules of granting have to be read together.
 *
 * @param <C> how a client is known to the table
 */
public final class LockTable<C> {
    /** The lease of a grant that its client has not asked for in this moment. */
    public static final Duration PROVISIONAL_LEASE = Duration.ofSeconds(3);

    /** A waiter that is not heard of for this long is dropped. */
    public static final Duration WAITER_PATIENCE = Duration.ofSeconds(20);

    /** How long a withdrawn claim is remembered, in case a request of it arrives late. */
    public static final Duration TOMBSTONE_LIFE = Duration.ofSeconds(60);

    private static final long LONGEST_HINT_NANOS = Duration.ofSeconds(5).toNanos();
    private static final long SHORTEST_HINT_NANOS = Duration.ofMillis(1).toNanos();
    private static final int MOST_EVICTIONS_REMEMBERED = 1_000;

    private final StoreTraits.Expiry expiry;
    private final LongSupplier epochs;
    private final Notices<C> notices;
    private final Map<String, Line<C>> lines = new HashMap<>();
    private final Map<OwnerId, LiveClaim<C>> claims = new HashMap<>();
    private final Map<OwnerId, Long> tombstones = new LinkedHashMap<>();
    private final Map<OwnerId, Boolean> evictedOwners = bounded();
    private final Map<String, TableImage.Eviction> evictions = bounded();
    private final TableViews<C> views = new TableViews<>(lines, evictions);
    private long arrivals;

    /** Counts what happened to claims; what leaves it unchanged has changed nothing that others could see. */
    private long changes;

    /**
     * Makes an empty table.
     *
     * @param expiry whether claims end by time
     * @param epochs gives each grant a number larger than all before it
     * @param notices receives messages to clients, during the step that causes them
     */
    public LockTable(StoreTraits.Expiry expiry, LongSupplier epochs, Notices<C> notices) {
        this.expiry = expiry;
        this.epochs = epochs;
        this.notices = notices;
    }

    /** Tries a claim once, or asks again for one that waits. */
    public AcquireOutcome acquire(C client, Claim claim, long now) {
        dropOldTombstones(now);
        if (tombstones.containsKey(claim.owner())) {
            return new AcquireOutcome.Contended(Duration.ofNanos(LONGEST_HINT_NANOS));
        }
        refresh(claim, now);
        LiveClaim<C> known = claims.get(claim.owner());
        if (known != null && known.holds()) {
            return granted(known, now);
        }
        String mismatch = findMismatch(claim);
        if (mismatch != null) {
            return new AcquireOutcome.Mismatch(mismatch);
        }
        LiveClaim<C> mine = known != null ? known : new LiveClaim<>(claim, client, ++arrivals, now);
        if (fits(mine)) {
            grant(mine, now, claim.lease());
            return granted(mine, now);
        }
        if (claim.queue()) {
            mine.expiresAtNanos =
                    endOf(now, Math.max(WAITER_PATIENCE.toNanos(), claim.lease().toNanos()));
            if (known == null) {
                changes++;
                claims.put(claim.owner(), mine);
                for (Claim.Part part : claim.parts()) {
                    lineOf(part).waiters.add(mine);
                }
            }
            tellWanted(mine);
        }
        return new AcquireOutcome.Contended(Duration.ofNanos(hint(mine, now)));
    }

    /** Ends a claim, whether it waits or holds. */
    public void withdraw(Claim claim, boolean mayStillArrive, long now) {
        dropOldTombstones(now);
        refresh(claim, now);
        if (mayStillArrive) {
            tombstones.remove(claim.owner());
            tombstones.put(claim.owner(), now + TOMBSTONE_LIFE.toNanos());
        }
        end(claim.owner(), now);
    }

    /** {@return whether an owner had a claim, which is ended} */
    public boolean end(OwnerId owner, long now) {
        LiveClaim<C> live = claims.get(owner);
        if (live != null) {
            remove(live);
            serve(live.claim, now);
        }
        return live != null;
    }

    /** {@return whether a client had claims, which are ended, in the order of their arrival} */
    public boolean leave(C client, long now) {
        List<LiveClaim<C>> left = claims.values().stream()
                .filter(live -> live.client.equals(client))
                .sorted(byArrival())
                .toList();
        left.forEach(this::remove);
        left.forEach(live -> serve(live.claim, now));
        return !left.isEmpty();
    }

    /** Extends a grant that is still held. */
    public RenewOutcome renew(Grant grant, long now) {
        refresh(grant.name(), now);
        LiveClaim<C> live = claims.get(grant.owner());
        if (live == null || live.partOf(grant) < 0) {
            return new RenewOutcome.Lost(
                    evictedOwners.containsKey(grant.owner()) ? LossReason.EVICTED : LossReason.EXPIRED);
        }
        live.expiresAtNanos = endOf(now, grant.lease().toNanos());
        return new RenewOutcome.Renewed(live.expires() ? grant.lease() : null, isWanted(grant.name()));
    }

    /** Gives a grant back. */
    public ReleaseOutcome release(Grant grant, long now) {
        refresh(grant.name(), now);
        LiveClaim<C> live = claims.get(grant.owner());
        int part = live == null ? -1 : live.partOf(grant);
        if (live == null || part < 0) {
            return ReleaseOutcome.NOT_HELD;
        }
        dropPart(live, part);
        serve(grant.name(), now);
        return ReleaseOutcome.RELEASED;
    }

    /** Takes a name away from all who hold it, or from the one with an epoch; a claim over several names goes as a whole. */
    public int evict(String name, OptionalLong epoch, String by, String reason, long now) {
        refresh(name, now);
        Line<C> line = lines.get(name);
        if (line == null) {
            return 0;
        }
        List<LiveClaim<C>> evicted = line.holders.stream()
                .filter(holder -> epoch.isEmpty() || epoch.getAsLong() == holder.epoch(holder.partNamed(name)))
                .sorted(byArrival())
                .toList();
        if (evicted.isEmpty()) {
            return 0;
        }
        for (LiveClaim<C> holder : evicted) {
            int part = holder.partNamed(name);
            evictedOwners.put(holder.claim.owner(), true);
            notices.lost(holder.client, name, holder.claim.owner(), holder.epoch(part), LossReason.EVICTED);
            remove(holder);
        }
        evictions.put(name, new TableImage.Eviction(name, by, reason, now));
        evicted.forEach(holder -> {
            refresh(holder.claim, now);
            serve(holder.claim, now);
        });
        return evicted.size();
    }

    /** Shows one name. */
    public Optional<LockView> inspect(String name, long now) {
        refresh(name, now);
        return views.inspect(name, now);
    }

    /** Shows the names in use that begin with a prefix. */
    public List<LockView> list(String prefix, int limit, long now) {
        return List.copyOf(lines.keySet()).stream()
                .filter(name -> name.startsWith(prefix))
                .sorted()
                .map(name -> inspect(name, now))
                .flatMap(Optional::stream)
                .filter(view -> !view.holders().isEmpty() || !view.waiters().isEmpty())
                .limit(limit)
                .toList();
    }

    /** {@return how many claims hold or wait, expired ones included until they are noticed} */
    public int size() {
        return claims.size();
    }

    /** {@return a number that differs from an earlier one if holders, waiters or evictions have changed since} */
    public long changes() {
        return changes;
    }

    /** {@return who stands between a client and what it waits for} */
    public Standing<C> standing(C client) {
        return views.standing(claims.values(), client);
    }

    /** {@return the clients that hold or wait, without those behind the claim} */
    public Set<C> ahead(Claim claim) {
        LiveClaim<C> mine = claims.get(claim.owner());
        return views.ahead(claim, mine == null ? Long.MAX_VALUE : mine.arrival);
    }

    /** {@return whose claim an owner's is, null if it has none} */
    public @Nullable C clientOf(OwnerId owner) {
        LiveClaim<C> live = claims.get(owner);
        return live == null ? null : live.client;
    }

    /** {@return the clients that hold a name or wait for it} */
    public Set<C> clientsOf(String name) {
        return views.clientsOf(name);
    }

    /** {@return every client that holds or waits} */
    public Set<C> clients() {
        Set<C> found = new LinkedHashSet<>();
        claims.values().forEach(live -> found.add(live.client));
        return found;
    }

    /** {@return what a client holds} */
    public List<Grant> heldBy(C client, long now) {
        List<Grant> held = new ArrayList<>();
        for (LiveClaim<C> live : claims.values()) {
            if (live.holds() && live.client.equals(client)) {
                grantsOf(live, now).stream().filter(grant -> grant.epoch() != 0).forEach(held::add);
            }
        }
        return held;
    }

    /** {@return what a client waits for} */
    public List<Claim> waitingOf(C client) {
        return claims.values().stream()
                .filter(live -> !live.holds() && live.client.equals(client))
                .map(live -> live.claim)
                .toList();
    }

    /** {@return everything that has to be kept to go on later, or elsewhere} */
    public TableImage<C> image() {
        return new TableImage<>(
                arrivals,
                claims.values().stream()
                        .sorted(byArrival())
                        .map(LiveClaim::image)
                        .toList(),
                List.copyOf(evictions.values()));
    }

    /** Takes over what another table has kept; only an empty table can. */
    public void restore(TableImage<C> image) {
        if (!claims.isEmpty() || arrivals != 0) {
            throw new IllegalStateException("only an empty table can be restored");
        }
        arrivals = image.arrivals();
        for (TableImage.Entry<C> entry : image.claims()) {
            LiveClaim<C> live = new LiveClaim<>(entry);
            claims.put(live.claim.owner(), live);
            for (Claim.Part part : live.claim.parts()) {
                if (!live.holds()) {
                    lineOf(part).waiters.add(live);
                } else if (live.epoch(live.partNamed(part.name())) != 0) {
                    lineOf(part).holders.add(live);
                }
            }
        }
        image.evictions().forEach(eviction -> evictions.put(eviction.name(), eviction));
    }

    /**
     * The order in which the claims of one step are dealt with. It decides who gets which epoch, so it must be the same
     * in every copy of the table, and not that of a hash map, which depends on how large the map once was.
     */
    private static <C> Comparator<LiveClaim<C>> byArrival() {
        return Comparator.comparingLong(live -> live.arrival);
    }

    private long endOf(long now, long nanos) {
        return expiry == StoreTraits.Expiry.SESSION ? LiveClaim.NEVER : now + nanos;
    }

    private AcquireOutcome granted(LiveClaim<C> live, long now) {
        return new AcquireOutcome.Granted(grantsOf(live, now));
    }

    private List<Grant> grantsOf(LiveClaim<C> live, long now) {
        List<Claim.Part> parts = live.claim.parts();
        if (parts.size() == 1) {
            return List.of(live.grant(0, now, isWanted(parts.get(0).name())));
        }
        List<Grant> grants = new ArrayList<>(parts.size());
        for (int i = 0; i < parts.size(); i++) {
            grants.add(live.grant(i, now, isWanted(parts.get(i).name())));
        }
        return grants;
    }

    private boolean fits(LiveClaim<C> live) {
        List<Claim.Part> parts = live.claim.parts();
        for (int i = 0; i < parts.size(); i++) {
            Claim.Part part = parts.get(i);
            Line<C> line = lines.get(part.name());
            if (line != null && !line.fits(part.units(), live.arrival)) {
                return false;
            }
        }
        return true;
    }

    private void grant(LiveClaim<C> live, long now, Duration lease) {
        List<Claim.Part> parts = live.claim.parts();
        long[] granted = new long[parts.size()];
        for (int i = 0; i < granted.length; i++) {
            Line<C> line = lineOf(parts.get(i));
            line.waiters.remove(live);
            line.holders.add(live);
            granted[i] = epochs.getAsLong();
        }
        live.hold(granted, now, endOf(now, lease.toNanos()));
        changes++;
        claims.put(live.claim.owner(), live);
    }

    /** Grants every claim at the head of the line that fits, on all of its names. */
    private void serve(String name, long now) {
        Line<C> line = lines.get(name);
        if (line == null || line.waiters.isEmpty()) {
            return;
        }
        for (LiveClaim<C> waiter : List.copyOf(line.waiters)) {
            if (fits(waiter)) {
                Duration lease = waiter.claim.lease();
                grant(waiter, now, lease.compareTo(PROVISIONAL_LEASE) < 0 ? lease : PROVISIONAL_LEASE);
                notices.granted(waiter.client, grantsOf(waiter, now));
            } else if (!line.fits(1, waiter.arrival + 1)) {
                break;
            }
        }
    }

    private void serve(Claim claim, long now) {
        for (Claim.Part part : claim.parts()) {
            serve(part.name(), now);
        }
    }

    /** Drops what has expired on the names of a claim, and on those of what is dropped. */
    private void refresh(Claim claim, long now) {
        List<Claim.Part> parts = claim.parts();
        for (int i = 0; i < parts.size(); i++) {
            refresh(parts.get(i).name(), now);
        }
    }

    private void refresh(String name, long now) {
        Line<C> line = lines.get(name);
        if (line == null || expiredIn(line, now).isEmpty()) {
            return;
        }
        Set<String> touched = new LinkedHashSet<>(List.of(name));
        Deque<String> toLookAt = new ArrayDeque<>(touched);
        while (!toLookAt.isEmpty()) {
            Line<C> next = lines.get(toLookAt.remove());
            for (LiveClaim<C> gone : next == null ? List.<LiveClaim<C>>of() : expiredIn(next, now)) {
                remove(gone);
                for (Claim.Part part : gone.claim.parts()) {
                    if (touched.add(part.name())) {
                        toLookAt.add(part.name());
                    }
                }
            }
        }
        touched.forEach(free -> serve(free, now));
    }

    private static <C> List<LiveClaim<C>> expiredIn(Line<C> line, long now) {
        return addExpired(line.waiters, now, addExpired(line.holders, now, List.of()));
    }

    private static <C> List<LiveClaim<C>> addExpired(List<LiveClaim<C>> from, long now, List<LiveClaim<C>> expired) {
        List<LiveClaim<C>> found = expired;
        for (int i = 0; i < from.size(); i++) {
            if (from.get(i).expiresAtNanos <= now) {
                found = found.isEmpty() ? new ArrayList<>() : found;
                found.add(from.get(i));
            }
        }
        return found;
    }

    private void remove(LiveClaim<C> live) {
        changes++;
        claims.remove(live.claim.owner());
        for (Claim.Part part : live.claim.parts()) {
            Line<C> line = lines.get(part.name());
            if (line != null) {
                line.holders.remove(live);
                line.waiters.remove(live);
                forgetIfIdle(line);
            }
        }
    }

    private void dropPart(LiveClaim<C> live, int part) {
        changes++;
        Line<C> line = lines.get(live.claim.parts().get(part).name());
        if (line != null) {
            line.holders.remove(live);
            forgetIfIdle(line);
        }
        if (live.drop(part)) {
            claims.remove(live.claim.owner());
        }
    }

    private Line<C> lineOf(Claim.Part part) {
        return lines.computeIfAbsent(part.name(), name -> new Line<>(part));
    }

    private void forgetIfIdle(Line<C> line) {
        if (line.isIdle()) {
            lines.remove(line.name);
        }
    }

    private boolean isWanted(String name) {
        Line<C> line = lines.get(name);
        return line != null && !line.waiters.isEmpty();
    }

    private void tellWanted(LiveClaim<C> waiter) {
        for (Claim.Part part : waiter.claim.parts()) {
            for (LiveClaim<C> holder : lineOf(part).holders) {
                notices.wanted(holder.client, part.name(), holder.epoch(holder.partNamed(part.name())));
            }
        }
    }

    private long hint(LiveClaim<C> waiter, long now) {
        long hint = LONGEST_HINT_NANOS;
        for (Claim.Part part : waiter.claim.parts()) {
            Line<C> line = lines.get(part.name());
            if (line != null) {
                for (LiveClaim<C> holder : line.holders) {
                    hint = Math.min(hint, holder.expiresAtNanos - now);
                }
            }
        }
        return Math.max(hint, SHORTEST_HINT_NANOS);
    }

    private @Nullable String findMismatch(Claim claim) {
        List<Claim.Part> parts = claim.parts();
        for (int i = 0; i < parts.size(); i++) {
            Claim.Part part = parts.get(i);
            Line<C> line = lines.get(part.name());
            if (line != null && !line.matches(part)) {
                return "'" + part.name() + "' is in use as " + line.kind + " of capacity " + line.capacity
                        + ", but was asked for as " + part.kind() + " of capacity " + part.capacity()
                        + "; use one kind and capacity for a name, or another name";
            }
        }
        return null;
    }

    /** All live equally long, so the oldest come first. */
    private void dropOldTombstones(long now) {
        if (!tombstones.isEmpty()) {
            Iterator<Long> oldest = tombstones.values().iterator();
            while (oldest.hasNext() && oldest.next() <= now) {
                oldest.remove();
            }
        }
    }

    private static <K, V> Map<K, V> bounded() {
        return new LinkedHashMap<>() {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
                return size() > MOST_EVICTIONS_REMEMBERED;
            }
        };
    }
}
