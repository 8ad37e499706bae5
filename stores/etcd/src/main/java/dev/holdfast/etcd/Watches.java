package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.LossReason;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.StoreContext;
import io.etcd.jetcd.api.Event;
import io.etcd.jetcd.api.TxnResponse;
import io.etcd.jetcd.api.WatchResponse;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Follows what happens to the keys that places wait for or hold, and tells the engine: a waiter of its grant, a holder that
 * somebody waits or that its key was taken away. Thread-safe.
 *
 * <p>An event says only that it is time to look. Whoever waits reads its lines before it holds, because its own key may be
 * gone too.
 */
final class Watches implements WatchStream.Receiver {
    private final StoreContext context;
    private final Wire wire;
    private final Transactions transactions;
    private final WatchStream stream;
    private final LateGuards guards;
    private final EndedWatches ends;

    Watches(StoreContext context, Wire wire, Transactions transactions) {
        this.context = context;
        this.wire = wire;
        this.transactions = transactions;
        this.stream = new WatchStream(wire, this);
        this.guards = new LateGuards(context, this::guardNow);
        this.ends = new EndedWatches(context, refused -> wire.signInAfter(refused.token()), this::resume);
    }

    /** Watches whom a waiting place waits for, and nobody else. */
    void follow(Place place) {
        for (ByteString key : place.unwatchedBlockers()) {
            stream.watch(place, key, null, false);
        }
        stream.cancel(place.needlessWatches());
    }

    /** Tells a place that holds when somebody else waits, or when its key is gone; not at once, most are given back soon. */
    void guard(Place place) {
        guards.add(place, place.isWanted());
    }

    /** Only where it can be passed on it matters whether somebody waits; others only want to know of their end. */
    private void guardNow(Place place) {
        if (place.state() != Place.State.HELD) {
            return;
        }
        if (place.isPassedOn()) {
            String name = place.names().get(0);
            stream.watch(
                    place,
                    transactions.layout().line(name),
                    transactions.layout().lineEnd(name),
                    true);
        } else {
            place.keys().forEach(key -> stream.watch(place, key, null, false));
        }
        stream.cancel(place.needlessWatches());
    }

    /** Nothing is told of a place any more. */
    void forget(Place place) {
        stream.cancel(place.end());
    }

    /** Calls go elsewhere, so the watches have to as well. */
    void moveOn() {
        stream.reopen();
    }

    void close() {
        stream.close();
    }

    @Override
    public void began(Place place, long revision) {
        ends.forget();
        if (place.hasToSee(revision)) {
            look(place);
        }
    }

    /** An event may come before the member that sent it, or the one that is asked, has it in its keys. */
    @Override
    public void happened(Place place, WatchResponse response) {
        long revision = response.getHeader().getRevision();
        for (Event event : response.getEventsList()) {
            revision = Math.max(revision, event.getKv().getModRevision());
        }
        boolean unseen = place.hasToSee(revision);
        if (place.state() != Place.State.HELD) {
            if (unseen) {
                look(place);
            }
            return;
        }
        for (Event event : response.getEventsList()) {
            boolean own = place.keys().contains(event.getKv().getKey());
            // A member that is behind may tell of the end of the claim that had these keys before.
            boolean since = event.getKv().getModRevision() > place.revision();
            if (own && since && event.getType() == Event.EventType.DELETE) {
                lost(place);
                return;
            }
            if (!own && unseen && (event.getType() == Event.EventType.PUT || place.isWanted())) {
                look(place);
                return;
            }
        }
    }

    @Override
    public void ended(List<Place> watched, WatchStream.@Nullable Refused refused) {
        ends.add(watched, refused);
    }

    /** Watches places again and reads their lines, all in one request. */
    private void resume(List<Place> places) {
        List<Place> looking = new ArrayList<>(places.size());
        for (Place place : places) {
            guardNow(place);
            follow(place);
            if (place.beginLook()) {
                looking.add(place);
            }
        }
        if (!looking.isEmpty()) {
            read(looking, true);
        }
    }

    /** Reads the lines of a place, from the member alone, and draws the conclusions. */
    private void look(Place place) {
        if (place.beginLook()) {
            read(List.of(place), true);
        }
    }

    private void read(List<Place> places, boolean memberAlone) {
        List<String> names = places.stream()
                .flatMap(place -> place.names().stream())
                .distinct()
                .toList();
        wire.txnLater(transactions.readLines(names, memberAlone)).whenComplete((response, failure) -> {
            long revision = failure == null ? response.getHeader().getRevision() : 0;
            if (failure == null && memberAlone && places.stream().anyMatch(place -> place.needsNewerThan(revision))) {
                read(places, false);
                return;
            }
            Map<String, Line> lines = new HashMap<>();
            for (Place place : places) {
                // Only a cluster that has gone back answers too old now, which the engine's question will find out.
                boolean told =
                        failure == null && !place.needsNewerThan(revision) && draw(place, names, response, lines);
                boolean again = place.endLook();
                if (!told) {
                    askEngine(place);
                } else if (again) {
                    look(place);
                }
            }
        });
    }

    /** Draws the conclusions for one place; false if there is something in its lines that is not ours. */
    private boolean draw(Place place, List<String> names, TxnResponse response, Map<String, Line> known) {
        List<Line> lines = new ArrayList<>(place.names().size());
        try {
            for (String name : place.names()) {
                lines.add(known.computeIfAbsent(
                        name,
                        unread -> Line.of(response.getResponses(names.indexOf(unread))
                                .getResponseRange()
                                .getKvsList())));
            }
        } catch (StoreMisconfiguredException foreign) {
            return false;
        }
        draw(place, place.see(lines, response.getHeader().getRevision()));
        return true;
    }

    private void draw(Place place, Place.Sight sight) {
        switch (sight) {
            case GONE -> {
                if (place.state() == Place.State.HELD) {
                    lost(place);
                } else {
                    askEngine(place);
                }
            }
            case BLOCKED -> follow(place);
            case NOW_HELD -> {
                long provenNanos = place.session().provenNanos();
                if (place.session().isAlive()) {
                    context.listener().granted(place.grants(provenNanos), provenNanos);
                    guard(place);
                } else {
                    // Nobody was told that it holds, so it has to enter anew.
                    askAgain(place);
                }
            }
            case STILL_HELD -> {
                if (place.isWanted()) {
                    context.listener().wanted(place.names().get(0), place.epoch());
                }
            }
            case NOTHING -> {}
        }
    }

    /** The engine asks again, and then a claim that has dropped out enters its lines anew. */
    void askEngine(Place place) {
        if (place.state() == Place.State.WAITING || place.state() == Place.State.ENTERING) {
            askAgain(place);
        }
    }

    private void askAgain(Place place) {
        context.listener().retry(place.names().get(0), place.claim().owner());
    }

    /** The key of a holder is gone while its session lives: somebody has deleted it. */
    private void lost(Place place) {
        if (place.state() != Place.State.HELD || place.session().hasEnded()) {
            return;
        }
        for (Claim.Part part : place.claim().parts()) {
            context.listener().lost(part.name(), place.claim().owner(), place.epoch(), LossReason.EVICTED);
        }
    }
}
