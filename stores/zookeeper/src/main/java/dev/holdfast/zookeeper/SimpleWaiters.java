package dev.holdfast.zookeeper;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.StoreListener;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;

/** Claims of the simple mode that wait: all of a name are woken when its holder's node changes. Thread-safe. */
final class SimpleWaiters {
    private final Layout layout;
    private final StoreListener listener;

    /** Claims that wait for a name, by the path of its holder's node. */
    private final Map<String, Set<Claim>> waiting = new ConcurrentHashMap<>();

    private final Watcher watcher = this::stirred;

    SimpleWaiters(Layout layout, StoreListener listener) {
        this.layout = layout;
        this.listener = listener;
    }

    /** Looks who holds the names of a claim. Whoever does is watched, and the claim is woken when that changes. */
    List<CompletableFuture<Session.Node>> look(Claim claim, Session session) {
        List<CompletableFuture<Session.Node>> looks = new ArrayList<>();
        for (Claim.Part part : claim.parts()) {
            String path = SingleNodes.holder(layout, part.name());
            // In one step: a set that was taken out meanwhile would be woken for nobody.
            waiting.compute(path, (key, claims) -> {
                Set<Claim> all = claims == null ? ConcurrentHashMap.newKeySet() : claims;
                all.add(claim);
                return all;
            });
            looks.add(session.read(path, watcher));
        }
        return looks;
    }

    /** Which claims would be refused. Asked for one after another, many would keep those waiting whose name is free. */
    Set<OwnerId> thoseInVain(List<Claim> claims, Session session, Call call) throws KeeperException {
        List<List<CompletableFuture<Session.Node>>> looks =
                claims.stream().map(claim -> look(claim, session)).toList();
        Set<OwnerId> inVain = new HashSet<>();
        for (int i = 0; i < looks.size(); i++) {
            OwnerId owner = claims.get(i).owner();
            for (CompletableFuture<Session.Node> look : looks.get(i)) {
                try {
                    if (!Badge.parse(call.await(look).data()).owner().equals(owner)) {
                        inVain.add(owner);
                    }
                } catch (KeeperException.NoNodeException free) {
                    continue;
                }
            }
        }
        return inVain;
    }

    void remove(Claim claim) {
        for (Claim.Part part : claim.parts()) {
            waiting.computeIfPresent(SingleNodes.holder(layout, part.name()), (path, claims) -> {
                claims.removeIf(other -> other.owner().equals(claim.owner()));
                return claims.isEmpty() ? null : claims;
            });
        }
    }

    /** Whoever waits asks again, because a watch may have been lost with its session or missed. */
    void wakeAll() {
        waiting.values().forEach(this::wake);
    }

    private void stirred(WatchedEvent event) {
        Set<Claim> claims = event.getPath() == null ? null : waiting.remove(event.getPath());
        if (claims != null) {
            wake(claims);
        }
    }

    private void wake(Set<Claim> claims) {
        claims.forEach(claim -> listener.retry(claim.parts().get(0).name(), claim.owner()));
    }
}
