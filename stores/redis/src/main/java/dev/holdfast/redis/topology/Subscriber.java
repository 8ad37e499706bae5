package dev.holdfast.redis.topology;

import dev.holdfast.StoreUnavailableException;
import dev.holdfast.redis.wire.BrokenConnection;
import dev.holdfast.redis.wire.Deadline;
import dev.holdfast.redis.wire.Faults;
import dev.holdfast.redis.wire.Keys;
import dev.holdfast.redis.wire.Listening;
import dev.holdfast.redis.wire.Server;
import dev.holdfast.redis.wire.ServerRefusal;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.ServerClock;
import dev.holdfast.spi.StoreContext;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Listens on the client's own channel, on one connection and one thread, and connects again when that breaks. A
 * heartbeat finds a connection that is dead without having been closed, and a server that is the wrong one by now.
 * Thread-safe.
 */
public final class Subscriber {
    private static final Duration HEARTBEAT = Duration.ofSeconds(2);

    /** Once its connections are cut, the thread has nothing more to do than to end. */
    private static final Duration GOODBYE = Duration.ofMillis(200);

    /** Many clients lose the same server at the same moment: they come back spread over this time, or a longer one. */
    private static final Duration FIRST_PAUSE = Duration.ofMillis(200);

    private static final int MOST_DOUBLINGS = 3;
    private static final System.Logger LOG = System.getLogger("dev.holdfast");

    private final Deployment deployment;
    private final StoreContext context;
    private final byte[] channel;
    private final Listener listener;
    private final ReentrantLock news = new ReentrantLock();
    private final Condition newsCame = news.newCondition();
    private volatile boolean everHeard;
    private volatile @Nullable Subscription current;
    private volatile @Nullable RuntimeException lastFailure;
    private volatile boolean closed;

    /** The present one; another one takes its place if it should die. */
    private volatile Thread thread;

    /** Whom the subscriber tells of what it hears, on its own thread. */
    public interface Listener {
        /** Messages come from now on; some may have been missed. */
        void listening();

        /** A message has come. */
        void heard(byte[] message, ServerClock clock);
    }

    public Subscriber(Deployment deployment, StoreContext context, String channel, Listener listener) {
        this.deployment = deployment;
        this.context = context;
        this.channel = Keys.bytes(channel);
        this.listener = listener;
        this.thread = newThread();
    }

    private Thread newThread() {
        Thread listening = new Thread(this::listen, "holdfast-" + context.clientName() + "-redis");
        listening.setDaemon(true);
        return listening;
    }

    public void open() {
        thread.start();
        context.scheduler().schedule(HEARTBEAT, this::beat);
    }

    /** Waits until messages come for the first time; later interruptions are bridged by asking again. */
    public void awaitFirst(String operation, Claim claim, Deadline deadline) {
        if (!everHeard) {
            awaitFirst(operation, claim.describe(), deadline);
        }
    }

    /** The same, for something that is not a claim. */
    public void awaitFirst(String operation, String lockName, Deadline deadline) {
        if (!everHeard) {
            RuntimeException why = await(deadline);
            if (why != null) {
                throw Faults.of(operation, lockName, why);
            }
        }
    }

    /** Stops listening. Whoever closes the servers next ends a connection that is only being made. */
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        cut();
    }

    /** Waits a moment for the thread to end, when the servers are closed. */
    public void awaitEnd() {
        try {
            thread.join(GOODBYE.toMillis());
        } catch (InterruptedException inAHurry) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends the subscription if it is at the wrong server by now; the thread then looks for the right one. */
    private void moveIfNeeded() {
        Subscription now = current;
        if (now != null && !deployment.isListeningPost(now.post)) {
            cut();
        }
    }

    /** Why nothing was heard; null once something was. A refusal is final, everything else may still change. */
    private @Nullable RuntimeException await(Deadline deadline) {
        boolean interrupted = Thread.interrupted();
        news.lock();
        try {
            long left = deadline.leftNanos();
            while (!everHeard && left > 0 && !(lastFailure instanceof ServerRefusal)) {
                try {
                    left = newsCame.awaitNanos(left);
                } catch (InterruptedException later) {
                    interrupted = true;
                }
            }
            RuntimeException why = lastFailure;
            return everHeard ? null : why != null ? why : noSubscription();
        } finally {
            news.unlock();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static RuntimeException noSubscription() {
        return new StoreUnavailableException(
                "subscribe", "messages", new TimeoutException("the subscription was not confirmed in time"));
    }

    private void tellNews(@Nullable RuntimeException failure) {
        news.lock();
        try {
            lastFailure = failure;
            everHeard |= failure == null;
            newsCame.signalAll();
        } finally {
            news.unlock();
        }
    }

    private void listen() {
        int failures = 0;
        while (!closed) {
            Subscription subscription = null;
            try {
                Server post = deployment.listeningPost(Deadline.in(context.clock(), context.commandTimeout()));
                subscription = new Subscription(post, post.listen());
                current = subscription;
                if (!closed) {
                    subscription.listening.listen(channel, subscription);
                }
            } catch (RuntimeException broken) {
                // Whatever it was, it must not be the end of listening.
                tellNews(broken);
            } finally {
                if (subscription != null) {
                    failures = subscription.confirmed ? 0 : failures;
                    subscription.listening.close();
                    deployment.suspect(subscription.post);
                }
            }
            pause(failures++);
        }
    }

    private void pause(int failures) {
        long longest = FIRST_PAUSE.toNanos() << Math.min(failures, MOST_DOUBLINGS);
        if (!closed) {
            LockSupport.parkNanos(this, context.random().nextLong(longest));
        }
    }

    /** Looks whether the subscription is alive, because another connection was not. */
    public void lookAtOnce() {
        Subscription now = current;
        if (now != null && now.confirmed && !now.isOver && now.looked.compareAndSet(false, true)) {
            try {
                context.ioExecutor().execute(now::beat);
            } catch (RejectedExecutionException closing) {
                now.looked.set(false);
            }
        }
    }

    private void beat() {
        if (closed) {
            return;
        }
        try {
            if (!thread.isAlive()) {
                thread = newThread();
                thread.start();
            }
            Subscription now = current;
            if (now != null && !now.isOver) {
                if (now.confirmed) {
                    now.beat();
                } else {
                    now.endIfUnconfirmed();
                }
            }
            deployment.beat();
            moveIfNeeded();
        } finally {
            context.scheduler().schedule(HEARTBEAT, this::beat);
        }
    }

    private void cut() {
        Subscription now = current;
        if (now != null) {
            now.listening.cut();
        }
    }

    /** One subscription, as long as its connection lasts. */
    private final class Subscription implements Listening.Listener {
        private final Server post;
        private final Listening listening;
        private volatile boolean confirmed;
        private final long begunNanos = context.clock().nanos();
        private volatile long heardNanos;
        private volatile boolean isOver;

        /** Somebody has asked for a sign of life since the last one. */
        private final AtomicBoolean looked = new AtomicBoolean();

        Subscription(Server post, Listening listening) {
            this.post = post;
            this.listening = listening;
        }

        @Override
        public void subscribed() {
            heardNanos = context.clock().nanos();
            confirmed = true;
            tellNews(null);
            listener.listening();
        }

        @Override
        public void message(byte[] message) {
            heardNanos = context.clock().nanos();
            try {
                listener.heard(message, listening.clock());
            } catch (RuntimeException odd) {
                // Messages are hints: whoever misses one asks again.
                LOG.log(
                        System.Logger.Level.WARNING,
                        "a message on the channel of a Holdfast client was not understood",
                        odd);
            }
        }

        @Override
        public void pong() {
            heardNanos = context.clock().nanos();
            looked.set(false);
        }

        /** Asks for a sign of life, which has to come before the command timeout. */
        void beat() {
            long asked = context.clock().nanos();
            try {
                listening.ping();
                context.scheduler().scheduleGuard(patience(), () -> endIfSilentSince(asked));
            } catch (BrokenConnection broken) {
                isOver = true;
                listening.cut();
            }
        }

        /** A server that says a byte now and then could put the confirmation off for ever. */
        void endIfUnconfirmed() {
            if (context.clock().nanos() - begunNanos > context.commandTimeout().toNanos()) {
                isOver = true;
                listening.cut();
            }
        }

        private void endIfSilentSince(long asked) {
            if (heardNanos - asked < 0) {
                isOver = true;
                listening.cut();
            }
        }

        private Duration patience() {
            Duration timeout = context.commandTimeout();
            return timeout.compareTo(HEARTBEAT) < 0 ? timeout : HEARTBEAT;
        }
    }
}
