package dev.holdfast.zookeeper;

import dev.holdfast.LossReason;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.RenewOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.KeeperException;

/**
 * One renewal of many grants: a single request that the leader puts in order and that checks that every node is there.
 * Whether somebody waits is known from watches, or is listed after that.
 *
 * @param grants to be renewed
 * @param places what this client knows of them
 * @param session that they have to be of
 * @param connection to be told when the session is over
 * @param call within which it happens
 */
record Renewal(List<Grant> grants, Map<OwnerId, Place> places, Session session, Connection connection, Call call) {

    List<RenewOutcome> run() {
        List<String> nodes = grants.stream().map(this::nodeOf).toList();
        List<String> asked =
                nodes.stream().filter(node -> !node.isEmpty()).distinct().toList();
        CompletableFuture<?> together = session.check(asked);
        List<RenewOutcome> outcomes = new ArrayList<>(grants.size());
        try {
            call.await(together);
            Map<String, CompletableFuture<List<String>>> lines = lines(nodes);
            for (int i = 0; i < nodes.size(); i++) {
                outcomes.add(nodes.get(i).isEmpty() ? gone(grants.get(i)) : renewed(i, nodes.get(i), lines));
            }
            return outcomes;
        } catch (KeeperException.NoNodeException one) {
            return oneByOne(nodes);
        } catch (KeeperException failed) {
            RenewOutcome forAll = failure(failed);
            return nodes.stream().map(node -> forAll).toList();
        }
    }

    /** Asks who else is there, where that matters and would not be told anyway. */
    private Map<String, CompletableFuture<List<String>>> lines(List<String> nodes) {
        Map<String, CompletableFuture<List<String>>> lines = new HashMap<>();
        for (int i = 0; i < nodes.size(); i++) {
            Place place = places.get(grants.get(i).owner());
            String node = nodes.get(i);
            if (place != null && !node.isEmpty() && place.isPassedOn() && !place.knowsOthers()) {
                lines.computeIfAbsent(lockOf(node), lock -> session.children(lock, null));
            }
        }
        return lines;
    }

    /** Some are gone; the server does not tell which, so each is asked for alone, without waiting in between. */
    private List<RenewOutcome> oneByOne(List<String> nodes) {
        List<CompletableFuture<?>> answers = new ArrayList<>();
        for (String node : nodes) {
            answers.add(
                    node.isEmpty()
                            ? CompletableFuture.failedFuture(new KeeperException.NoNodeException())
                            : session.check(List.of(node)));
        }
        answers.forEach(call::settle);
        Map<String, CompletableFuture<List<String>>> lines = lines(nodes);
        List<RenewOutcome> outcomes = new ArrayList<>();
        for (int i = 0; i < nodes.size(); i++) {
            try {
                call.await(answers.get(i));
                outcomes.add(renewed(i, nodes.get(i), lines));
            } catch (KeeperException.NoNodeException gone) {
                outcomes.add(nodes.get(i).isEmpty() ? gone(grants.get(i)) : new RenewOutcome.Lost(LossReason.EVICTED));
            } catch (KeeperException failed) {
                outcomes.add(failure(failed));
            }
        }
        return outcomes;
    }

    private RenewOutcome renewed(int index, String node, Map<String, CompletableFuture<List<String>>> lines)
            throws KeeperException {
        Grant grant = grants.get(index);
        Place place = places.get(grant.owner());
        boolean wanted = place != null && place.isWanted();
        CompletableFuture<List<String>> children = lines.get(lockOf(node));
        if (children != null) {
            try {
                Line line = Line.of(lockOf(node), call.await(children), session, call);
                wanted = line.isWanted(line.indexOf(node.substring(node.lastIndexOf('/') + 1)));
            } catch (KeeperException.NoNodeException goneSince) {
                return new RenewOutcome.Lost(LossReason.EVICTED);
            }
        }
        Duration trust = session.trust();
        return new RenewOutcome.Renewed(trust.compareTo(grant.lease()) < 0 ? trust : grant.lease(), wanted);
    }

    private String nodeOf(Grant grant) {
        Place place = places.get(grant.owner());
        return place == null || place.session() != session || place.state() != Place.State.HELD
                ? ""
                : place.nodeOf(grant);
    }

    /** A grant of another session, or one that this client does not know (any more). */
    private RenewOutcome gone(Grant grant) {
        return new RenewOutcome.Lost(
                session.name().equals(grant.session()) ? LossReason.EXPIRED : LossReason.SESSION_LOST);
    }

    private RenewOutcome failure(KeeperException failed) {
        RuntimeException cause = connection.failure(failed, session, call);
        return Connection.isOver(failed)
                ? new RenewOutcome.Lost(LossReason.SESSION_LOST)
                : new RenewOutcome.Unknown(cause);
    }

    private static String lockOf(String node) {
        return node.substring(0, node.lastIndexOf('/'));
    }
}
