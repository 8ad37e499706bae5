package dev.holdfast.etcd;

import dev.holdfast.LossReason;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.RenewOutcome;
import io.etcd.jetcd.api.RangeResponse;
import io.etcd.jetcd.api.ResponseHeader;
import io.etcd.jetcd.api.TxnResponse;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One renewal of many grants: the session is kept alive, and a transaction checks that every key is there as it was made,
 * which also proves the keep-alive.
 *
 * @param grants to be renewed
 * @param places what this client knows of them
 * @param session that they have to be of
 * @param sessions keeps it alive
 * @param wire to the cluster
 * @param call within which it happens
 */
record Renewal(List<Grant> grants, Places places, Session session, Sessions sessions, Wire wire, Call call) {

    List<RenewOutcome> run() {
        List<Transactions.@Nullable Made> keys = new ArrayList<>(grants.size());
        List<Transactions.Made> asked = new ArrayList<>(grants.size());
        for (Grant grant : grants) {
            Transactions.Made key = keyOf(grant);
            keys.add(key);
            if (key != null) {
                asked.add(key);
            }
        }
        List<Found> there = new ArrayList<>(asked.size());
        try {
            sessions.prove(session, call, () -> check(asked, there));
        } catch (Wire.LeaseGone over) {
            sessions.over(session);
            return grants.stream()
                    .<RenewOutcome>map(grant -> new RenewOutcome.Lost(LossReason.SESSION_LOST))
                    .toList();
        }
        List<RenewOutcome> outcomes = new ArrayList<>(grants.size());
        int next = 0;
        for (int i = 0; i < grants.size(); i++) {
            outcomes.add(keys.get(i) == null ? gone(grants.get(i)) : outcome(grants.get(i), there.get(next++)));
        }
        return outcomes;
    }

    /** What was found of a key; where some key of its group is gone, nobody counted those who wait. */
    private enum Found {
        ALONE,
        WANTED,
        NOT_COUNTED,
        GONE
    }

    private RenewOutcome outcome(Grant grant, Found found) {
        if (found == Found.GONE) {
            return new RenewOutcome.Lost(LossReason.EVICTED);
        }
        Place place = places.get(grant.owner());
        boolean wanted = place != null
                && place.isPassedOn()
                && (found == Found.WANTED || (found == Found.NOT_COUNTED && place.isWanted()));
        return new RenewOutcome.Renewed(session.validFor(call.startNanos(), grant.lease()), wanted);
    }

    /** Asks for all keys, in as few requests as etcd takes; the header is that of the last. */
    private ResponseHeader check(List<Transactions.Made> keys, List<Found> there) {
        there.clear();
        List<List<Transactions.Made>> groups = new ArrayList<>();
        for (int from = 0; from < keys.size(); from += Transactions.GROUP) {
            groups.add(keys.subList(from, Math.min(keys.size(), from + Transactions.GROUP)));
        }
        ResponseHeader last = null;
        for (int from = 0; last == null || from < groups.size(); from += Transactions.GROUP) {
            List<List<Transactions.Made>> some =
                    groups.subList(from, Math.min(groups.size(), from + Transactions.GROUP));
            last = some.isEmpty() ? sessions.readOrdered(session, call) : check(some, wire, call, there);
        }
        return last;
    }

    private static ResponseHeader check(List<List<Transactions.Made>> groups, Wire wire, Call call, List<Found> there) {
        TxnResponse answer = wire.txn(Transactions.check(groups), call);
        for (int i = 0; i < groups.size(); i++) {
            TxnResponse group = answer.getResponses(i).getResponseTxn();
            for (int j = 0; j < groups.get(i).size(); j++) {
                there.add(found(
                        group.getSucceeded(),
                        group.getResponses(j).getResponseRange(),
                        groups.get(i).get(j).revision()));
            }
        }
        return answer.getHeader();
    }

    /** If all keys of a group are there, the answer counts the claims in the line; otherwise it is the key, if there is one. */
    private static Found found(boolean allThere, RangeResponse answer, long revision) {
        if (allThere) {
            return answer.getCount() > 1 ? Found.WANTED : Found.ALONE;
        }
        boolean there = answer.getKvsList().stream().anyMatch(key -> key.getCreateRevision() == revision);
        return there ? Found.NOT_COUNTED : Found.GONE;
    }

    private Transactions.@Nullable Made keyOf(Grant grant) {
        Place place = places.get(grant.owner());
        return place == null || place.session() != session || place.state() != Place.State.HELD
                ? null
                : place.of(grant);
    }

    /** A grant of another session, or one that this client does not know (any more). */
    private RenewOutcome gone(Grant grant) {
        return new RenewOutcome.Lost(
                session.name().equals(grant.session()) ? LossReason.EXPIRED : LossReason.SESSION_LOST);
    }
}
