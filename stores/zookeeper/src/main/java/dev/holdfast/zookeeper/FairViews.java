package dev.holdfast.zookeeper;

import dev.holdfast.LockKind;
import dev.holdfast.LockView;
import dev.holdfast.spi.Grant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.jspecify.annotations.Nullable;

/** Looks at the lines of names, and takes names away. Thread-safe. */
final class FairViews {
    private static final int MOST_ATTEMPTS = 8;
    private static final int NAMES_AT_ONCE = 64;

    private final Layout layout;

    FairViews(Layout layout) {
        this.layout = layout;
    }

    /** One node in a line with what it says. */
    private record Seen(Ticket ticket, Session.Node node, Badge badge, boolean holds) {
        boolean hasEpoch(OptionalLong epoch) {
            return epoch.isEmpty() || epoch.getAsLong() == node.stat().getCzxid();
        }
    }

    /** What is known of one name. */
    private record Look(List<Seen> seen, Optional<LockView.Eviction> eviction) {}

    Optional<LockView> inspect(String name, Session session, Call call) {
        try {
            Look look = look(name, session, call);
            return look == null || (look.seen().isEmpty() && look.eviction().isEmpty())
                    ? Optional.empty()
                    : Optional.of(view(name, look));
        } catch (KeeperException failed) {
            throw call.fault(failed);
        }
    }

    List<LockView> list(String prefix, int limit, Session session, Call call) {
        try {
            CompletableFuture<Boolean> caughtUp = session.sync(layout.locks());
            CompletableFuture<List<String>> all = session.children(layout.locks(), null);
            call.await(caughtUp);
            List<String> names = call.await(all).stream()
                    .map(Layout::decode)
                    .filter(name -> name.startsWith(prefix))
                    .sorted()
                    .toList();
            List<LockView> views = new ArrayList<>();
            for (int from = 0; from < names.size() && views.size() < limit; from += NAMES_AT_ONCE) {
                List<String> some = names.subList(from, Math.min(names.size(), from + NAMES_AT_ONCE));
                for (String name : inUse(some, session, call)) {
                    if (views.size() < limit) {
                        inspect(name, session, call)
                                .filter(view -> !view.holders().isEmpty()
                                        || !view.waiters().isEmpty())
                                .ifPresent(views::add);
                    }
                }
            }
            return List.copyOf(views);
        } catch (KeeperException.NoNodeException noTree) {
            return List.of();
        } catch (KeeperException failed) {
            throw call.fault(failed);
        }
    }

    private List<String> inUse(List<String> names, Session session, Call call) throws KeeperException {
        List<CompletableFuture<List<String>>> answers = names.stream()
                .map(name -> session.children(layout.lock(name), null))
                .toList();
        List<String> used = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            try {
                if (!call.await(answers.get(i)).isEmpty()) {
                    used.add(names.get(i));
                }
            } catch (KeeperException.NoNodeException goneSince) {
                continue;
            }
        }
        return used;
    }

    /**
     * Deletes the nodes of all holders, or of the one with an epoch, on all names of their claims, and writes down who wanted
     * it, in one step. A node has no successor of the same path.
     */
    int evict(String name, OptionalLong epoch, String by, String reason, Session session, Call call) {
        try {
            for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
                Look look = look(name, session, call);
                List<Seen> holders = look == null
                        ? List.of()
                        : look.seen().stream()
                                .filter(seen -> seen.holds() && seen.hasEpoch(epoch))
                                .toList();
                if (holders.isEmpty()) {
                    return 0;
                }
                Set<String> nodes = new LinkedHashSet<>();
                for (Seen holder : holders) {
                    nodes.addAll(nodesOf(holder, name, session, call));
                }
                List<Op> steps = new ArrayList<>();
                steps.add(Op.setData(layout.lock(name), Eviction.write(by, reason), -1));
                nodes.forEach(node -> steps.add(Op.delete(node, -1)));
                try {
                    call.await(session.multi(steps));
                    return holders.size();
                } catch (KeeperException.NoNodeException releasedMeanwhile) {
                    continue;
                }
            }
            throw call.unavailable(new IllegalStateException("the holders changed again and again"));
        } catch (KeeperException failed) {
            throw call.fault(failed);
        }
    }

    private List<String> nodesOf(Seen holder, String name, Session session, Call call) throws KeeperException {
        List<String> nodes = new ArrayList<>(
                List.of(layout.lock(name) + "/" + holder.ticket().node()));
        for (String other : holder.badge().names()) {
            if (!other.equals(name)) {
                for (Ticket ticket : line(other, session, call).tickets()) {
                    if (ticket.owner().equals(holder.ticket().owner())) {
                        nodes.add(layout.lock(other) + "/" + ticket.node());
                    }
                }
            }
        }
        return nodes;
    }

    private @Nullable Look look(String name, Session session, Call call) throws KeeperException {
        CompletableFuture<Boolean> caughtUp = session.sync(layout.lock(name));
        CompletableFuture<Session.Node> lock = session.read(layout.lock(name), null);
        CompletableFuture<List<String>> children = session.children(layout.lock(name), null);
        try {
            call.await(caughtUp);
            Optional<LockView.Eviction> eviction = Eviction.read(call.await(lock));
            Line line = Line.of(layout.lock(name), call.await(children), session, call);
            List<CompletableFuture<Session.Node>> nodes = line.tickets().stream()
                    .map(ticket -> session.read(layout.lock(name) + "/" + ticket.node(), null))
                    .toList();
            List<Seen> seen = new ArrayList<>();
            Map<String, Line> others = new HashMap<>();
            for (int i = 0; i < nodes.size(); i++) {
                try {
                    Session.Node node = call.await(nodes.get(i));
                    Badge badge = Badge.parse(node.data());
                    boolean holds =
                            line.fits(i) && fitsElsewhere(line.tickets().get(i), badge, name, others, session, call);
                    seen.add(new Seen(line.tickets().get(i), node, badge, holds));
                } catch (KeeperException.NoNodeException goneSince) {
                    continue;
                }
            }
            return new Look(seen, eviction);
        } catch (KeeperException.NoNodeException unused) {
            return null;
        }
    }

    /** A claim over several names holds when it fits in every line. */
    private boolean fitsElsewhere(
            Ticket ticket, Badge badge, String name, Map<String, Line> others, Session session, Call call)
            throws KeeperException {
        for (String other : badge.names()) {
            if (!other.equals(name)) {
                Line line = others.get(other);
                if (line == null) {
                    line = line(other, session, call);
                    others.put(other, line);
                }
                int index = -1;
                for (int i = 0; i < line.tickets().size(); i++) {
                    index = line.tickets().get(i).owner().equals(ticket.owner()) ? i : index;
                }
                if (index < 0 || !line.fits(index)) {
                    return false;
                }
            }
        }
        return true;
    }

    private Line line(String name, Session session, Call call) throws KeeperException {
        try {
            List<String> children = call.await(session.children(layout.lock(name), null));
            return Line.of(layout.lock(name), children, session, call);
        } catch (KeeperException.NoNodeException unused) {
            return new Line(List.of());
        }
    }

    private static LockView view(String name, Look look) {
        long now = System.currentTimeMillis();
        List<LockView.Holder> holders = new ArrayList<>();
        List<LockView.Waiter> waiters = new ArrayList<>();
        for (Seen seen : look.seen()) {
            Duration since =
                    Duration.ofMillis(Math.max(0, now - seen.node().stat().getCtime()));
            Badge badge = seen.badge();
            if (seen.holds()) {
                holders.add(new LockView.Holder(
                        badge.clientName(),
                        badge.label(),
                        badge.units(),
                        Grant.token(seen.node().stat().getCzxid(), 0),
                        since,
                        Optional.empty()));
            } else if (seen.ticket().waits()) {
                waiters.add(new LockView.Waiter(badge.clientName(), badge.label(), badge.units(), since));
            }
        }
        LockKind kind = look.seen().isEmpty()
                ? LockKind.EXCLUSIVE
                : look.seen().get(0).ticket().kind();
        int capacity = look.seen().isEmpty() ? 1 : look.seen().get(0).ticket().capacity();
        return new LockView(name, kind, capacity, holders, waiters, look.eviction());
    }
}
