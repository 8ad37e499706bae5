package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.LossReason;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.StoreContext;
import io.etcd.jetcd.api.Event;
import io.etcd.jetcd.api.ResponseOp;
import io.etcd.jetcd.api.TxnResponse;
import io.etcd.jetcd.api.WatchResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Follows what happens to the keys that places wait for or hold, and tells the engine: a waiter of its grant, a holder that
 * somebody waits or that its key was taken away. Thread-safe.
 *
 * <p>An event says only that it is time to look. Whoever waits reads its lines before it holds, because its own key may be
 * gone too.
 */
final class Watches implements WatchStream.Receiver {
    private static final Duration BEFORE_LOOKING_AGAIN = Duration.ofMillis(100);

    private final StoreContext context;
    private final Wire wire;
    private final Transactions transactions;
    private final WatchStream stream;
    private final LateGuards guards;

    Watches(StoreContext context, Wire wire, Transactions transactions) {
        this.context = context;
        this.wire = wire;
        this.transactions = transactions;
        this.stream = new WatchStream(wire, this);
        this.guards = new LateGuards(context, this::guardNow);
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
        if (revision > place.seenRevision()) {
            look(place);
        }
    }

    @Override
    public void happened(Place place, WatchResponse response) {
        if (place.state() != Place.State.HELD) {
            look(place);
            return;
        }
        for (Event event : response.getEventsList()) {
            boolean own = place.keys().contains(event.getKv().getKey());
            if (own && event.getType() == Event.EventType.DELETE) {
                lost(place);
                return;
            }
            if (!own && (event.getType() == Event.EventType.PUT || place.isWanted())) {
                look(place);
                return;
            }
        }
    }

    @Override
    public void ended(List<Place> watched) {
        context.scheduler()
                .schedule(
                        BEFORE_LOOKING_AGAIN,
                        () -> watched.forEach(place -> {
                            if (place.state() == Place.State.HELD) {
                                guardNow(place);
                            }
                            look(place);
                        }));
    }

    /** Reads the lines of a place, from the member alone, and draws the conclusions. */
    private void look(Place place) {
        if (place.state() != Place.State.ENDED && place.beginLook()) {
            read(place, true);
        }
    }

    private void read(Place place, boolean memberAlone) {
        wire.txnLater(transactions.readLines(place.names(), memberAlone)).whenComplete((response, failure) -> {
            if (failure == null && memberAlone && response.getHeader().getRevision() < place.seenRevision()) {
                read(place, false);
                return;
            }
            boolean again = place.endLook();
            if (failure == null) {
                draw(place, place.see(lines(response), response.getHeader().getRevision()));
            } else {
                askEngine(place);
            }
            if (again) {
                look(place);
            }
        });
    }

    static List<Line> lines(TxnResponse response) {
        List<Line> lines = new ArrayList<>(response.getResponsesCount());
        for (ResponseOp each : response.getResponsesList()) {
            lines.add(Line.of(each.getResponseRange().getKvsList()));
        }
        return lines;
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
            context.listener().retry(place.names().get(0), place.claim().owner());
        }
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
