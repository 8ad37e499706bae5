package dev.holdfast.zookeeper;

import dev.holdfast.LossReason;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.StoreContext;
import dev.holdfast.spi.StoreListener;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.jspecify.annotations.Nullable;

/**
 * Follows what happens to the nodes that places wait for or hold, and tells the engine: a waiter of its grant, a holder
 * that somebody waits or that its node was taken away. There is one watcher for all, so that a node is watched once,
 * however many ask for it, and a waiter that has given up leaves nothing behind. Thread-safe.
 *
 * <p>A holder sets its watch only after it has held for a few milliseconds: most have given the lock back by then, and the
 * engine passes a wanted lock on among its own threads for longer than that anyway. One who stood behind several counts as
 * wanted from the beginning, so that there is nothing to look for until its first renewal.
 */
final class Watches implements Watcher {
    private static final Duration BEFORE_LOOKING = Duration.ofMillis(8);

    private final StoreContext context;
    /** Who wants to know of a node. Sets are changed only within a step of the map, and not if there is one in them. */
    private final Map<String, Set<Place>> interests = new ConcurrentHashMap<>();

    /** Holders to be looked at; guarded by itself, like the next. */
    private final Deque<Fresh> fresh = new ArrayDeque<>();

    private boolean scheduled;

    private record Fresh(Place place, long dueNanos) {}

    Watches(StoreContext context) {
        this.context = context;
    }

    /** Tells a waiting place as soon as it holds. */
    void follow(Place place) {
        if (place.advance()) {
            boolean crowded = place.isPassedOn() && place.isCrowded();
            context.listener()
                    .granted(
                            place.grants(
                                    Collections.nCopies(place.claim().parts().size(), crowded)),
                            place.session().provenNanos());
            if (!crowded) {
                guard(place);
            }
            return;
        }
        for (String path : place.unwatchedBlockers()) {
            enlist(path, place);
            place.session().watch(path, this, failure -> {
                if (failure == KeeperException.Code.NONODE) {
                    gone(place, path);
                } else {
                    // The connection is lost; the engine asks again, and then the watch is set.
                    drop(path, place);
                }
            });
        }
    }

    /** As {@link #guard}, for a place that has been held for a while, unless that was done before. */
    void guardLate(Place place) {
        if (place.state() == Place.State.HELD && place.guard()) {
            guard(place);
        }
    }

    /** Tells a place that holds when somebody else waits, or when its node is gone. */
    void guard(Place place) {
        place.guard();
        synchronized (fresh) {
            while (!fresh.isEmpty() && fresh.peek().place().state() != Place.State.HELD) {
                fresh.remove();
            }
            fresh.add(new Fresh(place, context.clock().nanos() + BEFORE_LOOKING.toNanos()));
            if (scheduled) {
                return;
            }
            scheduled = true;
        }
        context.scheduler().schedule(BEFORE_LOOKING, this::lookAtFresh);
    }

    /** Nothing is told of a place any more. */
    void forget(Place place) {
        for (String path : place.end()) {
            interests.computeIfPresent(path, (key, places) -> without(place, places));
        }
    }

    @Override
    public void process(WatchedEvent event) {
        if (event.getType() == Event.EventType.None || event.getPath() == null) {
            return;
        }
        Set<Place> places = interests.remove(event.getPath());
        if (places == null) {
            return;
        }
        for (Place place : places) {
            if (event.getType() == Event.EventType.NodeDeleted) {
                gone(place, event.getPath());
            } else {
                place.unwatch(event.getPath());
                stirred(place);
            }
        }
    }

    private void stirred(Place place) {
        if (place.state() == Place.State.HELD) {
            guard(place);
        } else {
            lookAhead(place);
        }
    }

    private void gone(Place place, String path) {
        drop(path, place);
        if (place.nodes().contains(path)) {
            lost(place);
            return;
        }
        lookAhead(place);
    }

    /**
     * One question tells who is left ahead, however many were there, and whether its own nodes are still there: whoever
     * deletes one of them by hand makes room for the next in line, also when this place has only just come.
     */
    private void lookAhead(Place place) {
        List<CompletableFuture<Set<String>>> looks = new ArrayList<>();
        for (int i = 0; i < place.claim().parts().size(); i++) {
            looks.add(place.session().children(place.lock(i), null).thenApply(Set::copyOf));
        }
        CompletableFuture.allOf(looks.toArray(CompletableFuture[]::new)).whenComplete((all, failure) -> {
            if (failure == null
                    && place.left(looks.stream().map(CompletableFuture::join).toList())) {
                follow(place);
            } else {
                // Its nodes are gone, or nobody knows: the engine asks, and it enters the line anew if it has to.
                context.listener()
                        .retry(
                                place.claim().parts().get(0).name(),
                                place.claim().owner());
            }
        });
    }

    private void lookAtFresh() {
        long now = context.clock().nanos();
        List<Place> due = new ArrayList<>();
        Duration next = null;
        synchronized (fresh) {
            while (!fresh.isEmpty() && fresh.peek().dueNanos() <= now) {
                due.add(fresh.remove().place());
            }
            scheduled = !fresh.isEmpty();
            if (scheduled) {
                next = Duration.ofNanos(fresh.peek().dueNanos() - now);
            }
        }
        if (next != null) {
            context.scheduler().schedule(next, this::lookAtFresh);
        }
        due.stream().filter(place -> place.state() == Place.State.HELD).forEach(this::look);
    }

    /** Only where it can be passed on it matters whether somebody waits; others only want to know of their end. */
    private void look(Place place) {
        if (!place.isPassedOn()) {
            place.nodes().forEach(path -> lookAtOwn(place, path));
            return;
        }
        String name = place.claim().parts().get(0).name();
        String lock = place.lock(0);
        if (!place.watch(lock)) {
            return;
        }
        enlist(lock, place);
        place.session().children(lock, this).whenComplete((children, failure) -> {
            if (failure instanceof KeeperException.NoNodeException) {
                drop(lock, place);
                lost(place);
            } else if (failure != null) {
                drop(lock, place);
            } else {
                seen(place, name, children);
            }
        });
    }

    private void lookAtOwn(Place place, String path) {
        if (!place.watch(path)) {
            return;
        }
        enlist(path, place);
        place.session().watch(path, this, failure -> {
            if (failure == KeeperException.Code.NONODE) {
                gone(place, path);
            } else {
                drop(path, place);
            }
        });
    }

    private void seen(Place place, String name, List<String> children) {
        String own = place.nodes().get(0);
        String node = own.substring(own.lastIndexOf('/') + 1);
        boolean mine = false;
        boolean wanted = false;
        for (String child : children) {
            if (child.equals(node)) {
                mine = true;
            } else {
                // Whoever else is in line for the whole of a name waits for us.
                Ticket ticket = Ticket.parse(child);
                wanted |= ticket != null && ticket.waits();
            }
        }
        place.sawOthers(wanted);
        if (!mine) {
            lost(place);
        } else if (wanted && place.state() == Place.State.HELD) {
            context.listener().wanted(name, place.epoch());
        }
    }

    /** The node of a holder is gone while its session lives: somebody has deleted it. */
    private void lost(Place place) {
        if (place.state() != Place.State.HELD || place.session().hasEnded()) {
            return;
        }
        StoreListener listener = context.listener();
        for (Claim.Part part : place.claim().parts()) {
            listener.lost(part.name(), place.claim().owner(), place.epoch(), LossReason.EVICTED);
        }
    }

    private void enlist(String path, Place place) {
        interests.compute(path, (key, places) -> {
            if (places == null || (places.size() == 1 && places.contains(place))) {
                return Set.of(place);
            }
            Set<Place> all = places.size() == 1 ? new HashSet<>(places) : places;
            all.add(place);
            return all;
        });
    }

    private static @Nullable Set<Place> without(Place place, Set<Place> places) {
        if (places.size() == 1) {
            return places.contains(place) ? null : places;
        }
        places.remove(place);
        return places.size() == 1 ? Set.copyOf(places) : places;
    }

    private void drop(String path, Place place) {
        place.unwatch(path);
        interests.computeIfPresent(path, (key, places) -> without(place, places));
    }
}
