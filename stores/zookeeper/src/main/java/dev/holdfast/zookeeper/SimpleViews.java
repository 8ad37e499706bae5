package dev.holdfast.zookeeper;

import dev.holdfast.LockKind;
import dev.holdfast.LockView;
import dev.holdfast.spi.Grant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;

/** Looks at names in the simple mode, and takes them away. Thread-safe. */
final class SimpleViews {
    private static final int MOST_ATTEMPTS = 8;
    private static final int NAMES_AT_ONCE = 64;

    private final Layout layout;
    private final SingleNodes nodes;

    SimpleViews(Layout layout, SingleNodes nodes) {
        this.layout = layout;
        this.nodes = nodes;
    }

    Optional<LockView> inspect(String name, Session session, Call call) {
        CompletableFuture<Boolean> caughtUp = session.sync(layout.lock(name));
        Asked asked = ask(name, session);
        try {
            call.await(caughtUp);
            return view(asked, call);
        } catch (KeeperException.NoNodeException unused) {
            return Optional.empty();
        } catch (KeeperException failed) {
            throw call.fault(failed);
        }
    }

    /** What was asked about a name. */
    private record Asked(String name, CompletableFuture<Session.Node> lock, CompletableFuture<Session.Node> holder) {}

    private Asked ask(String name, Session session) {
        return new Asked(name, session.read(layout.lock(name), null), session.read(nodes.holder(name), null));
    }

    private static Optional<LockView> view(Asked asked, Call call) throws KeeperException {
        try {
            Optional<LockView.Eviction> eviction = Eviction.read(call.await(asked.lock()));
            List<LockView.Holder> holders = new ArrayList<>();
            try {
                holders.add(holder(call.await(asked.holder())));
            } catch (KeeperException.NoNodeException free) {
                if (eviction.isEmpty()) {
                    return Optional.empty();
                }
            }
            return Optional.of(new LockView(asked.name(), LockKind.EXCLUSIVE, 1, holders, List.of(), eviction));
        } catch (KeeperException.NoNodeException unused) {
            return Optional.empty();
        }
    }

    private static LockView.Holder holder(Session.Node node) {
        Badge badge = Badge.parse(node.data());
        Duration since = Duration.ofMillis(
                Math.max(0, System.currentTimeMillis() - node.stat().getCtime()));
        return new LockView.Holder(
                badge.clientName(),
                badge.label(),
                badge.units(),
                Grant.token(node.stat().getCzxid(), 0),
                since,
                Optional.empty());
    }

    List<LockView> list(String prefix, int limit, Session session, Call call) {
        try {
            List<String> names = NamesInUse.read(prefix, layout, session, call);
            List<LockView> views = new ArrayList<>();
            for (int from = 0; from < names.size() && views.size() < limit; from += NAMES_AT_ONCE) {
                List<Asked> some = names.subList(from, Math.min(names.size(), from + NAMES_AT_ONCE)).stream()
                        .map(name -> ask(name, session))
                        .toList();
                for (Asked asked : some) {
                    view(asked, call).filter(view -> !view.holders().isEmpty()).ifPresent(views::add);
                }
            }
            return views.stream().limit(limit).toList();
        } catch (KeeperException.NoNodeException noTree) {
            return List.of();
        } catch (KeeperException failed) {
            throw call.fault(failed);
        }
    }

    /** Deletes the holder's nodes, on all names of its claim, and writes down who wanted it, in one step. */
    int evict(String name, OptionalLong epoch, String by, String reason, Session session, Call call) {
        try {
            for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
                call.await(session.sync(layout.lock(name)));
                Session.Node held = call.await(session.read(nodes.holder(name), null));
                if (epoch.isPresent() && epoch.getAsLong() != held.stat().getCzxid()) {
                    return 0;
                }
                Session.Node lock = call.await(session.read(layout.lock(name), null));
                List<Op> steps = new ArrayList<>();
                steps.add(Op.setData(
                        layout.lock(name),
                        Eviction.write(by, reason),
                        lock.stat().getVersion()));
                Badge badge = Badge.parse(held.data());
                for (String each : badge.names()) {
                    steps.add(Op.delete(nodes.stub(each, badge.owner()), -1));
                    steps.add(Op.delete(nodes.holder(each), -1));
                }
                if (lock.stat().getMzxid() != held.stat().getCzxid()) {
                    // Another one has come between the two looks.
                    continue;
                }
                try {
                    call.await(session.multi(steps));
                    return 1;
                } catch (KeeperException.NoNodeException | KeeperException.BadVersionException changedMeanwhile) {
                    continue;
                }
            }
            throw call.unavailable(new IllegalStateException("the holder changed again and again"));
        } catch (KeeperException.NoNodeException free) {
            return 0;
        } catch (KeeperException failed) {
            throw call.fault(failed);
        }
    }
}
