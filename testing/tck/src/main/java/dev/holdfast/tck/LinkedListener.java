package dev.holdfast.tck;

import dev.holdfast.LossReason;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.StoreListener;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;

/** What a client hears at the near end of a {@link Link}. Thread-safe as the client's listener is. */
final class LinkedListener implements StoreListener {
    private final Tap tap;
    private final LinkedSession session;
    private final StoreListener client;

    LinkedListener(Tap tap, LinkedSession session, StoreListener client) {
        this.tap = tap;
        this.session = session;
        this.client = client;
    }

    @Override
    public void retry(String name, OwnerId owner) {
        tap.pass(name, () -> client.retry(name, owner));
    }

    @Override
    public void granted(List<Grant> grants, long anchorNanos) {
        List<Grant> stamped = session.stamp(grants);
        tap.pass(grants.get(0).name(), () -> client.granted(stamped, anchorNanos));
    }

    @Override
    public void wanted(String name, long epoch) {
        tap.pass(name, () -> client.wanted(name, epoch));
    }

    @Override
    public void lost(String name, OwnerId owner, long epoch, LossReason reason) {
        tap.pass(name, () -> {
            client.lost(name, owner, epoch, reason);
            tap.lost.add(name);
        });
    }

    @Override
    public void sessionLost(String session) {
        tap.pass("", () -> client.sessionLost(session));
    }

    /** Lets messages pass, drops them, or holds them back. Thread-safe. */
    static final class Tap {
        private enum State {
            FLOWS,
            DROPS,
            HOLDS
        }

        private final Queue<Runnable> held = new ConcurrentLinkedQueue<>();
        private final Set<String> lost = ConcurrentHashMap.newKeySet();
        private volatile Predicate<String> heldNames = name -> true;
        private volatile State state = State.FLOWS;

        void drop() {
            state = State.DROPS;
        }

        /** Holds back what is about these names; the rest passes. */
        void hold(Predicate<String> names) {
            heldNames = names;
            state = State.HOLDS;
        }

        void flow() {
            state = State.FLOWS;
            for (Runnable message = held.poll(); message != null; message = held.poll()) {
                message.run();
            }
        }

        /** Whether the client was told that it has lost a name. */
        boolean hasToldLossOf(String name) {
            return lost.contains(name);
        }

        int held() {
            return held.size();
        }

        void pass(String name, Runnable message) {
            switch (state) {
                case FLOWS -> message.run();
                case HOLDS -> {
                    if (heldNames.test(name)) {
                        held.add(message);
                    } else {
                        message.run();
                    }
                }
                case DROPS -> {}
            }
        }
    }
}
