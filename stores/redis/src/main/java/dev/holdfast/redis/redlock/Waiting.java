package dev.holdfast.redis.redlock;

import dev.holdfast.redis.topology.Subscriber;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.ServerClock;
import dev.holdfast.spi.StoreContext;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Knows which claims of this client wait, listens at every node from the first of them on, and lets a claim ask again when
 * a quorum of nodes has told that its name is free. Each message tells a place among those who wait; who is further back
 * asks a little later, so that they do not take the nodes from each other. Messages are hints. Thread-safe.
 */
final class Waiting {
    private static final Duration BETWEEN_PLACES = Duration.ofMillis(3);

    /** When fewer nodes than a quorum have told it: some may be gone. */
    private static final Duration ANYWAY = Duration.ofMillis(20);

    private final Nodes nodes;
    private final StoreContext context;
    private final RedlockCalls calls;
    private final Map<OwnerId, Waiter> waiters = new ConcurrentHashMap<>();
    private final ReentrantLock opening = new ReentrantLock();

    /** One at each node, once somebody waits; guarded by {@link #opening}. */
    private List<Subscriber> ears = List.of();

    private volatile boolean listening;
    private boolean closed;

    Waiting(Nodes nodes, RedlockCalls calls) {
        this.nodes = nodes;
        this.context = nodes.context();
        this.calls = calls;
    }

    void enter(Claim claim) {
        waiters.computeIfAbsent(claim.owner(), owner -> new Waiter(claim));
        if (!listening) {
            listen();
        }
    }

    void leave(Claim claim) {
        waiters.remove(claim.owner());
    }

    void close() {
        openedInAll().forEach(Subscriber::close);
    }

    /** Waits a moment for the threads that listen, when the nodes are closed. */
    void awaitEnd() {
        openedInAll().forEach(Subscriber::awaitEnd);
    }

    /** {@return all that were opened; from now on, no more are} */
    private List<Subscriber> openedInAll() {
        opening.lock();
        try {
            closed = true;
            return ears;
        } finally {
            opening.unlock();
        }
    }

    private void listen() {
        opening.lock();
        try {
            if (!listening && !closed) {
                List<Subscriber> opened = new ArrayList<>();
                for (Node node : nodes.all()) {
                    opened.add(new Subscriber(node.deployment(), context, calls.channel(), new AtNode(node.index())));
                }
                ears = opened;
                listening = true;
                ears.forEach(Subscriber::open);
            }
        } finally {
            opening.unlock();
        }
    }

    private void askAgain(Waiter waiter, Duration delay) {
        Runnable retry = () -> context.listener().retry(waiter.name, waiter.owner);
        if (delay.isZero()) {
            retry.run();
            return;
        }
        try {
            context.scheduler().schedule(delay, retry);
        } catch (RejectedExecutionException closing) {
            waiters.remove(waiter.owner);
        }
    }

    /** What one node tells. */
    private final class AtNode implements Subscriber.Listener {
        private final int node;

        AtNode(int node) {
            this.node = node;
        }

        @Override
        public void listening() {
            waiters.values().forEach(waiter -> askAgain(waiter, Duration.ZERO));
        }

        @Override
        public void heard(byte[] message, ServerClock clock) {
            ByteBuffer in = ByteBuffer.wrap(message);
            if (in.get() != 'F') {
                // A message that a newer release knows; nothing is lost by not understanding it.
                return;
            }
            long epoch = in.getLong();
            int place = in.getInt();
            byte[] key = new byte[in.remaining()];
            in.get(key);
            String name = calls.keys().name(key);
            for (Waiter waiter : waiters.values()) {
                if (waiter.name.equals(name)) {
                    waiter.heard(node, epoch, place);
                }
            }
        }
    }

    /** A claim that waits. */
    private final class Waiter {
        private final String name;
        private final OwnerId owner;

        /** The grant that was told to be over last, and by which nodes; guarded by this object's monitor. */
        private long freed = -1;

        private long told;

        Waiter(Claim claim) {
            this.name = claim.parts().get(0).name();
            this.owner = claim.owner();
        }

        void heard(int node, long epoch, int place) {
            int count;
            synchronized (this) {
                if (epoch > freed) {
                    freed = epoch;
                    told = 0;
                }
                long before = told;
                told = epoch == freed ? told | 1L << node : told;
                count = told == before ? 0 : Long.bitCount(told);
            }
            if (count == 1) {
                askAgain(this, ANYWAY.plus(BETWEEN_PLACES.multipliedBy(place)));
            }
            if (count == nodes.quorum()) {
                askAgain(this, BETWEEN_PLACES.multipliedBy(place));
            }
        }
    }
}
