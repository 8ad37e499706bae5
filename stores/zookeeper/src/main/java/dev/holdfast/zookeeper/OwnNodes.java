package dev.holdfast.zookeeper;

import dev.holdfast.spi.Claim;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.apache.zookeeper.KeeperException;

/** Finds the nodes of an owner in the lines of its names, and deletes them. Immutable. */
record OwnNodes(Layout layout) {

    /** The nodes of an owner, in the order of its parts, as the leader knows them now. */
    List<String> find(Claim claim, Session session, Call call) throws KeeperException {
        List<CompletableFuture<List<String>>> looks = claim.parts().stream()
                .map(part -> find(claim, layout.lock(part.name()), session))
                .toList();
        List<String> found = new ArrayList<>();
        for (CompletableFuture<List<String>> look : looks) {
            found.addAll(call.await(look));
        }
        return found;
    }

    private static CompletableFuture<List<String>> find(Claim claim, String lock, Session session) {
        CompletableFuture<Boolean> caughtUp = session.sync(lock);
        CompletableFuture<List<String>> children = session.children(lock, null);
        String owner = claim.owner().toString();
        CompletableFuture<List<String>> found = new CompletableFuture<>();
        // Not by chaining, which would wrap a failure: whoever awaits it looks at its kind.
        caughtUp.whenComplete((caught, notCaught) -> children.whenComplete((nodes, failure) -> {
            Throwable cause = notCaught == null ? failure : notCaught;
            if (cause instanceof KeeperException.NoNodeException) {
                found.complete(List.of());
            } else if (cause != null) {
                found.completeExceptionally(cause);
            } else {
                found.complete(nodes.stream()
                        .filter(node -> isOf(owner, node))
                        .map(node -> lock + "/" + node)
                        .toList());
            }
        }));
        return found;
    }

    private static boolean isOf(String owner, String node) {
        // Other formats have other owners.
        Ticket ticket = node.charAt(0) == Ticket.VERSION ? Ticket.parse(node) : null;
        return ticket != null && ticket.owner().equals(owner);
    }

    /** Deletes everything of an owner, and waits for that. */
    void sweep(Claim claim, Session session, Call call) throws KeeperException {
        delete(find(claim, session, call), session, call);
    }

    static void delete(List<String> nodes, Session session, Call call) throws KeeperException {
        List<CompletableFuture<Boolean>> answers =
                nodes.stream().map(session::delete).toList();
        for (CompletableFuture<Boolean> answer : answers) {
            try {
                call.await(answer);
            } catch (KeeperException.NoNodeException already) {
                continue;
            }
        }
    }

    /** Deletes everything of an owner without waiting; completed normally when nothing is left. */
    CompletableFuture<?> clear(Claim claim, Session session) {
        return CompletableFuture.allOf(claim.parts().stream()
                .map(part ->
                        find(claim, layout.lock(part.name()), session).thenCompose(nodes -> deleted(nodes, session)))
                .toArray(CompletableFuture[]::new));
    }

    private static CompletionStage<Void> deleted(List<String> nodes, Session session) {
        return CompletableFuture.allOf(nodes.stream()
                .map(node -> session.delete(node).exceptionally(OwnNodes::isGone))
                .toArray(CompletableFuture[]::new));
    }

    private static boolean isGone(Throwable failure) {
        if (failure instanceof KeeperException.NoNodeException) {
            return true;
        }
        throw new CompletionException(failure);
    }

    /** Near the end of a name's counter its node is deleted as soon as it is empty; the next one begins at zero. */
    static void resetCounters(Place place, Session session) {
        for (String node : place.nodes()) {
            int slash = node.lastIndexOf('/');
            Ticket ticket = Ticket.parse(node.substring(slash + 1));
            if (ticket != null && ticket.isAtTheEnd()) {
                Stream.of(node.substring(0, slash)).forEach(session::delete);
            }
        }
    }
}
