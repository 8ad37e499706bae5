package dev.holdfast.tck;

import dev.holdfast.LossReason;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.StoreListener;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A client's ear at the near end of a {@link Link}. Thread-safe as the client's is. */
final class LinkedListener implements StoreListener {
    private final Tap tap;
    private final StoreListener client;

    LinkedListener(Tap tap, StoreListener client) {
        this.tap = tap;
        this.client = client;
    }

    @Override
    public void retry(String name, OwnerId owner) {
        tap.pass(() -> client.retry(name, owner));
    }

    @Override
    public void granted(List<Grant> grants, long anchorNanos) {
        tap.pass(() -> client.granted(grants, anchorNanos));
    }

    @Override
    public void wanted(String name, long epoch) {
        tap.pass(() -> client.wanted(name, epoch));
    }

    @Override
    public void lost(String name, OwnerId owner, long epoch, LossReason reason) {
        tap.pass(() -> client.lost(name, owner, epoch, reason));
    }

    @Override
    public void sessionLost(String session) {
        tap.pass(() -> client.sessionLost(session));
    }

    /** Lets messages pass, drops them, or holds them back. Thread-safe. */
    static final class Tap {
        private enum State {
            FLOWS,
            DROPS,
            HOLDS
        }

        private final Queue<Runnable> held = new ConcurrentLinkedQueue<>();
        private volatile State state = State.FLOWS;

        void drop() {
            state = State.DROPS;
        }

        void hold() {
            state = State.HOLDS;
        }

        void flow() {
            state = State.FLOWS;
            for (Runnable message = held.poll(); message != null; message = held.poll()) {
                message.run();
            }
        }

        void pass(Runnable message) {
            switch (state) {
                case FLOWS -> message.run();
                case HOLDS -> held.add(message);
                case DROPS -> {}
            }
        }
    }
}
