package dev.holdfast.store.table;

import dev.holdfast.LockKind;
import dev.holdfast.LockView;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Looks at a {@link LockTable} and changes nothing. Guarded by whoever guards the table. */
final class TableViews<C> {
    private final Map<String, Line<C>> lines;
    private final Map<String, TableImage.Eviction> evictions;

    TableViews(Map<String, Line<C>> lines, Map<String, TableImage.Eviction> evictions) {
        this.lines = lines;
        this.evictions = evictions;
    }

    Optional<LockView> inspect(String name, long now) {
        Line<C> line = lines.get(name);
        Optional<LockView.Eviction> eviction = Optional.ofNullable(evictions.get(name))
                .map(e -> new LockView.Eviction(e.by(), e.reason(), Duration.ofNanos(now - e.atNanos())));
        if (line == null) {
            return eviction.map(e -> new LockView(name, LockKind.EXCLUSIVE, 1, List.of(), List.of(), Optional.of(e)));
        }
        List<LockView.Holder> holders = new ArrayList<>();
        for (LiveClaim<C> holder : line.holders) {
            holders.add(new LockView.Holder(
                    holder.claim.holder().clientName(),
                    holder.claim.holder().label(),
                    holder.units(name),
                    Grant.token(holder.epoch(holder.partNamed(name)), 0),
                    Duration.ofNanos(now - holder.sinceNanos),
                    holder.expires() ? Optional.of(Duration.ofNanos(holder.expiresAtNanos - now)) : Optional.empty()));
        }
        List<LockView.Waiter> waiters = new ArrayList<>();
        for (LiveClaim<C> waiter : line.waiters) {
            waiters.add(new LockView.Waiter(
                    waiter.claim.holder().clientName(),
                    waiter.claim.holder().label(),
                    waiter.units(name),
                    Duration.ofNanos(now - waiter.sinceNanos)));
        }
        return Optional.of(new LockView(name, line.kind, line.capacity, holders, waiters, eviction));
    }

    Set<C> ahead(Claim claim, long arrival) {
        Set<C> found = new LinkedHashSet<>();
        for (Claim.Part part : claim.parts()) {
            addHolders(part.name(), found);
            addWaiters(part.name(), arrival, found);
        }
        return found;
    }

    Set<C> clientsOf(String name) {
        Set<C> found = new LinkedHashSet<>();
        addHolders(name, found);
        addWaiters(name, Long.MAX_VALUE, found);
        return found;
    }

    Standing<C> standing(Collection<LiveClaim<C>> claims, C client) {
        boolean waits = false;
        boolean next = false;
        Set<C> holders = new LinkedHashSet<>();
        Set<C> waiters = new LinkedHashSet<>();
        for (LiveClaim<C> live : claims) {
            if (!live.holds() && live.client.equals(client)) {
                waits = true;
                Set<C> before = new LinkedHashSet<>();
                for (Claim.Part part : live.claim.parts()) {
                    addHolders(part.name(), holders);
                    addWaiters(part.name(), live.arrival, before);
                }
                next |= before.isEmpty();
                waiters.addAll(before);
            }
        }
        return new Standing<>(waits, next, holders, waiters);
    }

    private void addHolders(String name, Set<C> found) {
        Line<C> line = lines.get(name);
        if (line != null) {
            line.holders.forEach(holder -> found.add(holder.client));
        }
    }

    private void addWaiters(String name, long arrival, Set<C> found) {
        Line<C> line = lines.get(name);
        if (line != null) {
            line.waiters.stream()
                    .filter(waiter -> waiter.arrival < arrival)
                    .forEach(waiter -> found.add(waiter.client));
        }
    }
}
