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

    /** What was asked about a name. */
    private record Asked(String name, CompletableFuture<Session.Node> lock, CompletableFuture<List<String>> children) {}

    /** The line of a name, and what was asked about those in it. */
    private record InLine(
            String name,
            Optional<LockView.Eviction> eviction,
            Line line,
            List<CompletableFuture<Session.Node>> nodes) {}

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
            List<String> names = NamesInUse.read(prefix, layout, session, call);
            List<LockView> views = new ArrayList<>();
            for (int from = 0; from < names.size() && views.size() < limit; from += NAMES_AT_ONCE) {
                List<String> some = names.subList(from, Math.min(names.size(), from + NAMES_AT_ONCE));
                views.addAll(inUse(some, session, call));
            }
            return views.stream().limit(limit).toList();
        } catch (KeeperException.NoNodeException noTree) {
            return List.of();
        } catch (KeeperException failed) {
            throw call.fault(failed);
        }
    }

    /** Looks at several names without waiting in between, and leaves out those that nobody holds or waits for. */
    private List<LockView> inUse(List<String> names, Session session, Call call) throws KeeperException {
        List<Asked> asked = names.stream().map(name -> ask(name, session)).toList();
        List<InLine> lines = new ArrayList<>();
        for (Asked each : asked) {
            InLine line = line(each, session, call);
            if (line != null) {
                lines.add(line);
            }
        }
        List<LockView> used = new ArrayList<>();
        Map<String, Line> others = new HashMap<>();
        for (InLine line : lines) {
            LockView view = view(line.name(), see(line, others, session, call));
            if (!view.holders().isEmpty() || !view.waiters().isEmpty()) {
                used.add(view);
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
        Asked asked = ask(name, session);
        try {
            call.await(caughtUp);
        } catch (KeeperException.NoNodeException unused) {
            return null;
        }
        InLine line = line(asked, session, call);
        return line == null ? null : see(line, new HashMap<>(), session, call);
    }

    private Asked ask(String name, Session session) {
        String lock = layout.lock(name);
        return new Asked(name, session.read(lock, null), session.children(lock, null));
    }

    /** Reads a line and asks for its nodes; null if there is no such name. */
    private @Nullable InLine line(Asked asked, Session session, Call call) throws KeeperException {
        String lock = layout.lock(asked.name());
        try {
            Optional<LockView.Eviction> eviction = Eviction.read(call.await(asked.lock()));
            Line line = Line.of(lock, call.await(asked.children()), session, call);
            return new InLine(
                    asked.name(),
                    eviction,
                    line,
                    line.tickets().stream()
                            .map(ticket -> session.read(lock + "/" + ticket.node(), null))
                            .toList());
        } catch (KeeperException.NoNodeException unused) {
            return null;
        }
    }

    private Look see(InLine asked, Map<String, Line> others, Session session, Call call) throws KeeperException {
        List<Seen> seen = new ArrayList<>();
        for (int i = 0; i < asked.nodes().size(); i++) {
            try {
                Session.Node node = call.await(asked.nodes().get(i));
                Badge badge = Badge.parse(node.data());
                Ticket ticket = asked.line().tickets().get(i);
                boolean holds =
                        asked.line().fits(i) && fitsElsewhere(ticket, badge, asked.name(), others, session, call);
                seen.add(new Seen(ticket, node, badge, holds));
            } catch (KeeperException.NoNodeException goneSince) {
                continue;
            }
        }
        return new Look(seen, asked.eviction());
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
