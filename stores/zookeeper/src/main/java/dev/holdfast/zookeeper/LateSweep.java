package dev.holdfast.zookeeper;

import dev.holdfast.spi.Claim;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.apache.zookeeper.KeeperException;

/**
 * Clears away what a closed store has left in a session that goes on, because it is the user's: nodes that nobody could
 * delete in an outage, or whose making was never answered, would stay for as long as the user's client lives. It asks at
 * once, and again after each reconnection, until everything is answered or the session is over. It has no thread of its
 * own and holds nothing up. Thread-safe.
 */
final class LateSweep implements ConnectionStateListener {
    private final CuratorFramework curator;
    private final Session session;
    private final Function<Claim, CompletableFuture<?>> clear;
    private final Set<Claim> left = ConcurrentHashMap.newKeySet();
    private final CompletableFuture<Void> done = new CompletableFuture<>();

    private LateSweep(
            CuratorFramework curator,
            Session session,
            Collection<Claim> claims,
            Function<Claim, CompletableFuture<?>> clear) {
        this.curator = curator;
        this.session = session;
        this.clear = clear;
        left.addAll(claims);
    }

    /**
     * Begins to clear away.
     *
     * @param clear asks for everything of a claim to be deleted; completed normally when nothing is left
     * @return completed when nothing of all claims is left
     */
    static CompletableFuture<Void> begin(
            CuratorFramework curator,
            Session session,
            Collection<Claim> claims,
            Function<Claim, CompletableFuture<?>> clear) {
        LateSweep sweep = new LateSweep(curator, session, claims, clear);
        // First, so that a reconnection after a lost request is certainly told.
        curator.getConnectionStateListenable().addListener(sweep);
        sweep.ask();
        return sweep.done;
    }

    @Override
    public void stateChanged(CuratorFramework client, ConnectionState state) {
        if (state == ConnectionState.RECONNECTED || state == ConnectionState.LOST) {
            ask();
        }
    }

    private void ask() {
        for (Claim claim : List.copyOf(left)) {
            if (session.isOpen()) {
                clear.apply(claim).whenComplete((cleared, failure) -> {
                    if (failure == null || isRefusal(failure)) {
                        left.remove(claim);
                        finish();
                    }
                });
            }
        }
        finish();
    }

    /** What the user has no right to will not be granted by asking again. */
    private static boolean isRefusal(Throwable failure) {
        Throwable cause = failure.getCause() == null ? failure : failure.getCause();
        return cause instanceof KeeperException.NoAuthException;
    }

    private void finish() {
        if (left.isEmpty() || !session.isOpen()) {
            curator.getConnectionStateListenable().removeListener(this);
            done.complete(null);
        }
    }
}
