package dev.holdfast.zookeeper;

import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.OwnerId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.KeeperException;

/**
 * One question for many waiting claims. All requests are sent without waiting in between, also for claims that have to
 * enter their lines anew, as all do when their session has ended: asked for one after another, many would take longer than
 * a call may, and none of them would ever be answered.
 *
 * @param entrance where they come in
 * @param places what this client knows of claims
 * @param own what finds nodes that are left of a claim
 * @param session in which they are asked for
 * @param call within which it happens
 */
record Poll(Entrance entrance, Map<OwnerId, Place> places, OwnNodes own, Session session, Call call) {

    List<AcquireOutcome> ask(List<Claim> claims) throws KeeperException {
        clearLost(claims);
        Map<OwnerId, CompletableFuture<?>> there = new HashMap<>();
        List<Place> standing = new ArrayList<>();
        for (Claim claim : claims) {
            Place place = places.get(claim.owner());
            if (place == null) {
                there.put(claim.owner(), entrance.make(entrance.begin(claim, session, call)));
            } else {
                standing.add(place);
            }
        }
        // A check goes through the leader, and so proves that the session lives; what is listed after it is no older.
        CompletableFuture<Void> checked = session.check(
                standing.stream().flatMap(place -> place.nodes().stream()).toList());
        standing.forEach(place -> there.put(place.claim().owner(), checked));
        Map<String, CompletableFuture<List<String>>> lines = new HashMap<>();
        for (Claim claim : claims) {
            claim.parts().forEach(part -> lines.computeIfAbsent(part.name(), this::line));
        }
        List<AcquireOutcome> outcomes = new ArrayList<>(claims.size());
        for (Claim claim : claims) {
            outcomes.add(answered(claim, there.getOrDefault(claim.owner(), checked), lines));
        }
        return outcomes;
    }

    /** Clears away what may be left of claims that are not known to stand in line in this session. */
    private void clearLost(List<Claim> claims) throws KeeperException {
        List<Place> lost = new ArrayList<>();
        List<CompletableFuture<?>> cleared = new ArrayList<>();
        for (Claim claim : claims) {
            Place place = places.get(claim.owner());
            if (place != null
                    && (place.session() != session || !place.isMade() || place.state() == Place.State.ENDED)) {
                lost.add(place);
                cleared.add(own.clear(claim, session));
            }
        }
        Entrance.await(cleared, call);
        lost.forEach(entrance::forget);
    }

    private CompletableFuture<List<String>> line(String name) {
        return session.children(own.layout().lock(name), null);
    }

    private AcquireOutcome answered(
            Claim claim, CompletableFuture<?> there, Map<String, CompletableFuture<List<String>>> lines)
            throws KeeperException {
        Place place = places.get(claim.owner());
        List<CompletableFuture<List<String>>> ofClaim = claim.parts().stream()
                .map(part -> lines.getOrDefault(part.name(), new CompletableFuture<>()))
                .toList();
        try {
            AcquireOutcome outcome = place == null ? null : entrance.entered(place, there, ofClaim, call);
            if (outcome != null) {
                return outcome;
            }
        } catch (KeeperException.NoNodeException gone) {
            // Its own node, another's that was checked with it, or the node of the name. Alone it is told which.
            return alone(claim);
        } catch (StoreMisconfiguredException ownFault) {
            // What somebody else has put into one line is no reason to refuse those who wait in the others.
            return new AcquireOutcome.Unknown(ownFault);
        }
        return alone(claim);
    }

    private AcquireOutcome alone(Claim claim) {
        try {
            return entrance.acquire(claim, session, call);
        } catch (StoreMisconfiguredException ownFault) {
            return new AcquireOutcome.Unknown(ownFault);
        }
    }
}
