package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.TxnResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** How claims come into their lines, and what they are told. Thread-safe. */
final class Entrance {
    private static final int MOST_ATTEMPTS = 8;
    private static final int HINTS_PER_TIMEOUT = 3;
    private static final Duration LONGEST_HINT = Duration.ofSeconds(5);
    private static final Duration AFTER_TOMBSTONE = Duration.ofSeconds(5);

    /** Of the answer to a claim that did not enter: the format, the tombstone, then the lines. */
    private static final int LINES_AFTER = 2;

    private final Wire wire;
    private final Transactions transactions;
    private final Sessions sessions;
    private final Watches watches;
    private final Tombstones tombstones;
    private final Places places;

    Entrance(
            Wire wire,
            Transactions transactions,
            Sessions sessions,
            Watches watches,
            Tombstones tombstones,
            Places places) {
        this.wire = wire;
        this.transactions = transactions;
        this.sessions = sessions;
        this.watches = watches;
        this.tombstones = tombstones;
        this.places = places;
    }

    /** Enters a claim, or asks again for one that is known. If its session ends meanwhile, once more in the next one. */
    AcquireOutcome acquire(Claim claim, Call call) {
        for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
            Session session = sessions.ready(call);
            try {
                Place known = places.get(claim.owner());
                AcquireOutcome outcome = known != null && known.standsIn(session)
                        ? askAgain(known, claim, call)
                        : enter(claim, session, call);
                if (outcome != null) {
                    return outcome;
                }
            } catch (Wire.LeaseGone over) {
                // Whatever it has made is gone with the session, so that this is not an unknown outcome.
                sessions.over(session);
            }
        }
        throw call.unavailable(new IllegalStateException("the key of the claim was deleted again and again"));
    }

    /** Makes the keys of a claim; null if it has to be tried again. */
    private @Nullable AcquireOutcome enter(Claim claim, Session session, Call call) {
        Ticket.refuseIfTooLarge(claim);
        Place before = places.get(claim.owner());
        Place place = places.begin(claim, session);
        if (before != null) {
            watches.forget(before);
        }
        long newestOther = 0;
        for (int attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
            // A claim that does not queue enters only where it fits, unless others came between again and again.
            boolean anyway = claim.queue() || attempt == MOST_ATTEMPTS;
            Format format = session.format();
            TxnResponse answer = ask(
                    place,
                    anyway
                            ? transactions.queue(claim, place.id(), format, session.id())
                            : transactions.enterBehind(claim, place.id(), format, session.id(), newestOther),
                    call);
            if (answer.getSucceeded()) {
                return entered(place, format, answer, anyway, call);
            }
            List<Line> lines = linesFrom(answer, LINES_AFTER);
            if (answer.getResponses(1).getResponseRange().getKvsCount() > 0) {
                forget(place);
                return new AcquireOutcome.Contended(AFTER_TOMBSTONE);
            }
            Known own = own(claim, lines, session);
            if (own != Known.NOTHING) {
                return own == Known.ALL
                        ? found(place, lines, answer, call)
                        : sweep(place, answer.getHeader().getRevision(), call);
            }
            if (!sees(session, answer).equals(format)) {
                continue;
            }
            if (!place.mayStillArrive() && lines.stream().anyMatch(line -> line.hasKeyOf(place))) {
                // A copy of this process uses the same ids.
                place.repeats();
                forget(place);
                return null;
            }
            AcquireOutcome refusal = refusal(claim, lines, session);
            if (refusal != null) {
                refuse(place, call);
                return refusal;
            }
            newestOther = answer.getHeader().getRevision();
        }
        throw call.unavailable(new IllegalStateException("the line changed again and again"));
    }

    /** Asks for the keys of a place. If that fails, for whatever reason, they may be made later. */
    private TxnResponse ask(Place place, TxnRequest request, Call call) {
        boolean answered = false;
        try {
            TxnResponse answer = wire.txn(request, call, place::repeats);
            answered = true;
            return answer;
        } catch (Wire.LeaseGone didNothing) {
            answered = true;
            throw didNothing;
        } finally {
            if (!answered) {
                place.repeats();
            }
        }
    }

    private @Nullable AcquireOutcome entered(Place place, Format format, TxnResponse answer, boolean read, Call call) {
        place.made(answer.getHeader().getRevision(), format.offset());
        if (place.epoch() >= Grant.EPOCH_LIMIT) {
            leave(place.claim(), place, place.revision(), 0, call);
            throw new StoreMisconfiguredException("the epochs of this etcd do not fit a fencing token any more");
        }
        if (read) {
            List<Line> lines = linesFrom(answer, place.names().size());
            return judge(place, place.claim(), lines, answer.getHeader().getRevision(), call);
        }
        if (place.hold()) {
            watches.guard(place);
        }
        return new AcquireOutcome.Granted(place.grants(call.startNanos()));
    }

    /** An earlier request of the claim has made its keys, and the answer was lost. */
    private @Nullable AcquireOutcome found(Place place, List<Line> lines, TxnResponse answer, Call call) {
        Line first = lines.get(0);
        Ticket ticket = first.tickets().get(first.indexOf(place.owner()));
        place.made(ticket.revision(), ticket.offset());
        return judge(place, place.claim(), lines, answer.getHeader().getRevision(), call);
    }

    /**
     * Some of its keys are gone, or they are of a session before. It enters anew, so there must not be a tombstone; and a
     * request that is repeated may arrive when it has entered, so that one deletes nothing that is newer than what was seen.
     */
    private @Nullable AcquireOutcome sweep(Place place, long seenRevision, Call call) {
        place.leaves();
        watches.forget(place);
        wire.txn(transactions.leave(place.keys(), place.claim().owner(), seenRevision, 0), call);
        return null;
    }

    private enum Known {
        NOTHING,
        SOME,
        ALL
    }

    /** What there is of a claim: everything counts only if one transaction of this session made it. */
    private static Known own(Claim claim, List<Line> lines, Session session) {
        String owner = claim.owner().toString();
        Set<Long> revisions = new LinkedHashSet<>();
        int found = 0;
        for (Line line : lines) {
            int index = line.indexOf(owner);
            if (index >= 0) {
                Ticket ticket = line.tickets().get(index);
                found += ticket.lease() == session.id() ? 1 : 0;
                revisions.add(ticket.revision());
            }
        }
        if (revisions.isEmpty()) {
            return Known.NOTHING;
        }
        return found == lines.size() && revisions.size() == 1 ? Known.ALL : Known.SOME;
    }

    /** The offset as it is now. Without one, or with a smaller one, a new session has to begin. */
    private static Format sees(Session session, TxnResponse answer) {
        List<KeyValue> found = answer.getResponses(0).getResponseRange().getKvsList();
        if (found.isEmpty()
                || !session.saw(
                        Format.read(found.get(0).getValue()), answer.getHeader().getRevision())) {
            throw new Wire.LeaseGone(null);
        }
        return session.format();
    }

    /** Why a claim that does not queue cannot enter, or null if it fits. */
    private static @Nullable AcquireOutcome refusal(Claim claim, List<Line> lines, Session session) {
        boolean room = true;
        for (int i = 0; i < lines.size(); i++) {
            Claim.Part part = claim.parts().get(i);
            String mismatch = lines.get(i).mismatch(part);
            if (mismatch != null) {
                return new AcquireOutcome.Mismatch(mismatch);
            }
            room &= lines.get(i).hasRoomFor(part);
        }
        return room ? null : contended(session);
    }

    /** Finds out where a known claim stands; null if it has dropped out and has to enter anew. */
    private @Nullable AcquireOutcome askAgain(Place place, Claim claim, Call call) {
        TxnResponse answer = wire.txn(transactions.readLines(place.names(), false), call);
        return judge(place, claim, linesFrom(answer, 0), answer.getHeader().getRevision(), call);
    }

    /**
     * Asks again for several claims at once.
     *
     * @return empty if they have to be asked for one by one, because not all of them stand in line
     */
    Optional<List<AcquireOutcome>> askTogether(List<Claim> claims, Call call) {
        Session session = sessions.ready(call);
        List<Place> known = new ArrayList<>();
        Set<String> names = new LinkedHashSet<>();
        for (Claim claim : claims) {
            Place place = places.get(claim.owner());
            if (place == null || !place.standsIn(session)) {
                return Optional.empty();
            }
            known.add(place);
            names.addAll(place.names());
        }
        Map<String, Seen> seen;
        try {
            seen = readAll(List.copyOf(names), call);
        } catch (StoreMisconfiguredException one) {
            // What somebody else has put into one line is no reason to refuse those who wait in the others.
            return Optional.empty();
        }
        List<AcquireOutcome> outcomes = new ArrayList<>();
        for (int i = 0; i < claims.size(); i++) {
            Place place = known.get(i);
            List<Line> lines = new ArrayList<>();
            long oldest = Long.MAX_VALUE;
            for (String name : place.names()) {
                Seen line = java.util.Objects.requireNonNull(seen.get(name));
                lines.add(line.line());
                oldest = Math.min(oldest, line.revision());
            }
            outcomes.add(judgeAmongOthers(place, claims.get(i), lines, oldest, call));
        }
        return Optional.of(outcomes);
    }

    /** As {@link #acquire}, where what is wrong with its own lines must not keep others from their answers. */
    AcquireOutcome acquireAmongOthers(Claim claim, Call call) {
        try {
            return acquire(claim, call);
        } catch (StoreMisconfiguredException failed) {
            return new AcquireOutcome.Unknown(failed);
        }
    }

    private AcquireOutcome judgeAmongOthers(Place place, Claim claim, List<Line> lines, long revision, Call call) {
        try {
            AcquireOutcome outcome = judge(place, claim, lines, revision, call);
            return outcome != null ? outcome : acquire(claim, call);
        } catch (StoreMisconfiguredException failed) {
            return new AcquireOutcome.Unknown(failed);
        }
    }

    private record Seen(Line line, long revision) {}

    private Map<String, Seen> readAll(List<String> names, Call call) {
        Map<String, Seen> seen = new java.util.HashMap<>();
        for (int from = 0; from < names.size(); from += Transactions.MOST_LINES) {
            List<String> some = names.subList(from, Math.min(names.size(), from + Transactions.MOST_LINES));
            TxnResponse answer = wire.txn(transactions.readLines(some, false), call);
            List<Line> lines = linesFrom(answer, 0);
            for (int i = 0; i < some.size(); i++) {
                seen.put(some.get(i), new Seen(lines.get(i), answer.getHeader().getRevision()));
            }
        }
        return seen;
    }

    /** Decides about a claim by the lines it stands in; null if it does not stand in one of them any more. */
    private @Nullable AcquireOutcome judge(Place place, Claim claim, List<Line> lines, long revision, Call call) {
        boolean entering = place.state() == Place.State.ENTERING;
        for (int i = 0; i < lines.size(); i++) {
            String mismatch = lines.get(i).mismatch(claim.parts().get(i));
            if (mismatch != null && entering) {
                place.leaves();
                leave(claim, revision, false, call);
                return new AcquireOutcome.Mismatch(mismatch);
            }
        }
        switch (place.see(lines, revision)) {
            case GONE -> {
                return sweep(place, revision, call);
            }
            case NOW_HELD -> watches.guard(place);
            case BLOCKED -> {
                if (entering && !claim.queue()) {
                    place.leaves();
                    leave(claim, revision, false, call);
                } else {
                    watches.follow(place);
                }
            }
            case STILL_HELD, NOTHING -> {}
        }
        return place.state() == Place.State.HELD
                ? new AcquireOutcome.Granted(place.grants(call.startNanos()))
                : contended(place.session());
    }

    private static AcquireOutcome contended(Session session) {
        Duration hint = session.timeout().dividedBy(HINTS_PER_TIMEOUT);
        return new AcquireOutcome.Contended(hint.compareTo(LONGEST_HINT) < 0 ? hint : LONGEST_HINT);
    }

    private static List<Line> linesFrom(TxnResponse answer, int first) {
        List<Line> lines = new ArrayList<>();
        for (int i = first; i < answer.getResponsesCount(); i++) {
            lines.add(Line.of(answer.getResponses(i).getResponseRange().getKvsList()));
        }
        return lines;
    }

    private void leave(Claim claim, @Nullable Place place, long newest, long tombstoneLease, Call call) {
        if (place != null) {
            watches.forget(place);
            if (newest == Transactions.EVERY_REVISION) {
                // It may arrive when it has been answered by another member.
                place.repeats();
            }
        }
        List<ByteString> keys = place == null ? List.of() : place.keys();
        wire.txn(transactions.leave(keys, claim.owner(), newest, tombstoneLease), call);
        if (place != null) {
            places.drop(place);
        }
    }

    /** A claim was refused. If a request of it may still arrive, that one must find a tombstone. */
    private void refuse(Place place, Call call) {
        if (place.mayStillArrive()) {
            leave(place.claim(), Transactions.EVERY_REVISION, true, call);
        } else {
            forget(place);
        }
    }

    /**
     * Leaves every line for good, with a tombstone if a request may still arrive.
     *
     * @param mayStillArrive true if one may, as far as the caller knows
     */
    void withdraw(Claim claim, boolean mayStillArrive, Call call) {
        Place place = places.get(claim.owner());
        long made = place == null ? 0 : place.revision();
        leave(claim, made == 0 ? Transactions.EVERY_REVISION : made, mayStillArrive, call);
    }

    private void leave(Claim claim, long newest, boolean mayStillArrive, Call call) {
        Place place = places.get(claim.owner());
        if (!mayStillArrive && (place == null || !place.mayStillArrive())) {
            if (place != null) {
                leave(claim, place, newest, 0, call);
            }
            return;
        }
        // Behind a tombstone nothing of the claim enters any more, so that nothing new of it can be hit.
        try {
            leave(claim, place, Transactions.EVERY_REVISION, tombstones.lease(call), call);
        } catch (Wire.LeaseGone over) {
            tombstones.forgetLease();
            leave(claim, place, Transactions.EVERY_REVISION, tombstones.lease(call), call);
        }
    }

    private void forget(Place place) {
        watches.forget(place);
        places.drop(place);
    }
}
