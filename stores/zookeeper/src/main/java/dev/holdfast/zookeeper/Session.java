package dev.holdfast.zookeeper;

import dev.holdfast.spi.MonotonicClock;
import dev.holdfast.spi.StoreListener;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.ZKConfig;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * One session with the ensemble, and the requests that can be sent in it. Requests are sent in the order of the calls and
 * answered in that order; none of the methods waits, but for those with "now" in their names. What belongs to a session
 * ends with it. Thread-safe.
 *
 * <p>Only a write that the leader has put in order proves that the session lived when the write was sent. A server that is
 * cut off from its leader answers pings and reads as if nothing had happened.
 */
final class Session {
    /** Of the negotiated timeout, the part for which a proof is good: the rest covers what the leader heard late. */
    private static final int TRUST_NUMERATOR = 2;

    private static final int TRUST_DENOMINATOR = 3;

    /** Of one request: with the longest names that is half of the megabyte that a server takes by default. */
    private static final int MOST_CHECKS = 500;

    private final ZooKeeper handle;
    private final MonotonicClock clock;

    /** After how long the client itself ends a wait for an answer that does not come; 0 for never. */
    private final long requestTimeoutMillis;

    /** Whether the client has a connection, as far as it has noticed. */
    private final BooleanSupplier connected;

    /** Whether the last that was heard of the connection was an answer, and not its loss. */
    private volatile boolean answering = true;

    /** When something was heard of the connection last. */
    private volatile long heardNanos;

    private final AtomicLong provenNanos = new AtomicLong(StoreListener.UNKNOWN_ANCHOR);
    /** The thread that brings the answers, as far as it is known. */
    private volatile @Nullable Thread messenger;

    private volatile boolean ended;
    private volatile @Nullable String name;
    private volatile Duration trust = Duration.ZERO;

    /** A node and what is written in it. */
    record Node(byte[] data, Stat stat) {}

    /** A node that was made. */
    record Made(String path, Stat stat) {}

    Session(ZooKeeper handle, MonotonicClock clock, BooleanSupplier connected) {
        this.handle = handle;
        this.clock = clock;
        this.connected = connected;
        this.heardNanos = clock.nanos();
        this.requestTimeoutMillis =
                Math.max(0, handle.getClientConfig().getLong(ZKClientConfig.ZOOKEEPER_REQUEST_TIMEOUT, 0));
    }

    boolean isOf(ZooKeeper other) {
        return handle == other;
    }

    long id() {
        return handle.getSessionId();
    }

    /** How many bytes of a reply the client takes. */
    int largestReply() {
        return handle.getClientConfig()
                .getInt(ZKConfig.JUTE_MAXBUFFER, ZKClientConfig.CLIENT_MAX_PACKET_LENGTH_DEFAULT);
    }

    /** How the engine knows it. Made once, because every lease keeps it. */
    String name() {
        String known = name;
        if (known == null) {
            known = "0x" + Long.toHexString(id());
            name = known;
        }
        return known;
    }

    /** For how long a grant is good after a proof. The timeout may be another after each reconnection. */
    Duration trust() {
        long millis = (long) handle.getSessionTimeout() * TRUST_NUMERATOR / TRUST_DENOMINATOR;
        Duration known = trust;
        if (known.toMillis() != millis) {
            known = Duration.ofMillis(millis);
            trust = known;
        }
        return known;
    }

    /** A reading of the clock at which the session certainly lived, or {@link StoreListener#UNKNOWN_ANCHOR}. */
    long provenNanos() {
        return provenNanos.get();
    }

    /** The session is over; true for the first who says so. */
    synchronized boolean end() {
        boolean first = !ended;
        ended = true;
        return first;
    }

    /** Whether a thread is the one that brings the answers, and so must not wait for one. */
    boolean isAnsweredBy(Thread thread) {
        return thread == messenger;
    }

    /** A handle that is closed has no such thread any more, and fails requests on the thread that sends them. */
    private void noteMessenger(Thread sender) {
        Thread thread = Thread.currentThread();
        if (thread != sender && thread != messenger) {
            messenger = thread;
        }
    }

    /** Whether its handle was not closed. */
    boolean isOpen() {
        return handle.getState().isAlive();
    }

    boolean hasEnded() {
        return ended;
    }

    CompletableFuture<Made> create(String path, byte[] data, List<ACL> acl, CreateMode mode) {
        return create(path, data, acl, mode, made -> {});
    }

    /**
     * Makes a node.
     *
     * @param first is told of it before anybody else hears of this answer, or of a later one
     */
    CompletableFuture<Made> create(String path, byte[] data, List<ACL> acl, CreateMode mode, Consumer<Made> first) {
        Answer<Made> answer = new Answer<>(path, true);
        handle.create(
                path,
                data,
                acl,
                mode,
                (rc, asked, context, name, stat) -> {
                    Made made = rc == 0 ? new Made(name, stat) : null;
                    if (made != null) {
                        first.accept(made);
                    }
                    answer.give(rc, made);
                },
                null);
        return answer;
    }

    CompletableFuture<Boolean> delete(String path) {
        Answer<Boolean> answer = new Answer<>(path, true);
        handle.delete(path, -1, (rc, asked, context) -> answer.give(rc, true), null);
        return answer;
    }

    /**
     * Deletes a node and waits for the answer, no longer than the client's request timeout: the thread that reads from the
     * socket wakes the calling one itself, while the answer to a request that is not waited for is brought by one thread
     * more.
     */
    CompletableFuture<Boolean> deleteNow(String path, Call call) {
        return now(
                call,
                () -> {
                    long sentNanos = clock.nanos();
                    handle.delete(path, -1);
                    prove(sentNanos);
                    return true;
                },
                () -> delete(path),
                () -> delete(path).exceptionally(failure -> isDeleted(failure)));
    }

    /** The second of two requests to delete a node finds what the first has left. */
    private static boolean isDeleted(Throwable failure) {
        if (failure instanceof KeeperException.NoNodeException) {
            return true;
        }
        throw new CompletionException(failure);
    }

    /** Lists the nodes below one and waits for the answer, like {@link #deleteNow}. */
    CompletableFuture<List<String>> childrenNow(String path, Call call) {
        return now(call, () -> handle.getChildren(path, null), () -> children(path, null), () -> children(path, null));
    }

    /**
     * A wait that nobody bounds is not begun, and one that is interrupted is continued otherwise. Neither is one begun
     * without a connection that answers: when such a wait is over, ZooKeeper's client closes whatever socket it has by
     * then, and one that is being set up it then forgets for as long as setting up may take. Nor one that may last longer
     * than what is left of the call, because it always lasts for the client's whole request timeout.
     */
    private <T> CompletableFuture<T> now(
            Call call,
            Request<T> request,
            Supplier<CompletableFuture<T>> unbounded,
            Supplier<CompletableFuture<T>> interruptedly) {
        if (!isTrusted() || !call.hasTimeFor(requestTimeoutMillis)) {
            return unbounded.get();
        }
        boolean interrupted = Thread.interrupted();
        try {
            T value = request.ask();
            heard(Code.OK);
            return CompletableFuture.completedFuture(value);
        } catch (KeeperException refused) {
            heard(refused.code());
            return CompletableFuture.failedFuture(refused);
        } catch (InterruptedException meanwhile) {
            interrupted = true;
            return interruptedly.get();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** A request that waits for its answer. */
    private interface Request<T> {
        T ask() throws KeeperException, InterruptedException;
    }

    private void prove(long sentNanos) {
        provenNanos.accumulateAndGet(sentNanos, Math::max);
    }

    private boolean isTrusted() {
        return requestTimeoutMillis > 0 && answering && connected.getAsBoolean();
    }

    private void heard(Code code) {
        heardNanos = clock.nanos();
        answering = code != Code.CONNECTIONLOSS && code != Code.REQUESTTIMEOUT;
    }

    /**
     * An answer has not come in time. If waits are bounded, the client is made to leave a connection that is silent, as it
     * does by itself when it has waited for an answer; pings alone would find out only when leases are over.
     *
     * @param askedNanos since when answers are missing
     * @param patienceNanos for how long nothing was heard of a connection that is silent
     */
    void leaveIfSilent(long askedNanos, long patienceNanos) {
        long sinceNanos = Math.max(askedNanos - heardNanos, 0) + heardNanos;
        if (isTrusted() && clock.nanos() - sinceNanos >= patienceNanos) {
            answering = false;
            try {
                handle.getTestable().closeSocket();
                // Its thread looks at the socket when there is something to send.
                sync("/");
            } catch (IOException goneAlready) {
                return;
            }
        }
    }

    CompletableFuture<List<OpResult>> multi(List<Op> operations) {
        Answer<List<OpResult>> answer = new Answer<>(null, true);
        handle.multi(operations, (rc, path, context, results) -> answer.give(rc, results), null);
        return answer;
    }

    /** Proves that nodes are there; as many requests as it takes, because a server refuses one that is too large. */
    CompletableFuture<Void> check(List<String> nodes) {
        return checkAll(nodes.stream().map(node -> Op.check(node, -1)).toList());
    }

    /** As {@link #check}, for checks of any kind. */
    CompletableFuture<Void> checkAll(List<Op> checks) {
        List<CompletableFuture<?>> answers = new ArrayList<>();
        for (int from = 0; from < checks.size(); from += MOST_CHECKS) {
            answers.add(multi(checks.subList(from, Math.min(checks.size(), from + MOST_CHECKS))));
        }
        return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new));
    }

    CompletableFuture<List<String>> children(String path, @Nullable Watcher watcher) {
        Answer<List<String>> answer = new Answer<>(path, false);
        handle.getChildren(
                path,
                watcher,
                (int rc, String asked, Object context, List<String> children) -> answer.give(rc, children),
                null);
        return answer;
    }

    /** Who may do what with a node; what the client may not see of that is masked by the server. */
    CompletableFuture<List<ACL>> access(String path) {
        Answer<List<ACL>> answer = new Answer<>(path, false);
        handle.getACL(path, null, (rc, asked, context, acl, stat) -> answer.give(rc, acl), null);
        return answer;
    }

    /** Reads a node. Unlike a question for its existence, it leaves no watch when there is no such node. */
    CompletableFuture<Node> read(String path, @Nullable Watcher watcher) {
        Answer<Node> answer = new Answer<>(path, false);
        handle.getData(
                path,
                watcher,
                (rc, asked, context, data, stat) ->
                        answer.give(rc, rc == 0 ? new Node(data == null ? new byte[0] : data, stat) : null),
                null);
        return answer;
    }

    /**
     * Has a watcher told of what becomes of a node.
     *
     * @param unset is told the reason if no watch was set, because there is no such node or for another reason
     */
    void watch(String path, Watcher watcher, Consumer<Code> unset) {
        handle.getData(
                path,
                watcher,
                (int rc, String asked, Object context, byte[] data, Stat stat) -> {
                    heard(Code.get(rc));
                    if (rc != 0) {
                        unset.accept(Code.get(rc));
                    }
                },
                null);
    }

    /** Lets the server that we are attached to catch up with its leader; reads that follow see at least that. */
    CompletableFuture<Boolean> sync(String path) {
        Answer<Boolean> answer = new Answer<>(path, false);
        handle.sync(path, (rc, asked, context) -> answer.give(rc, true), null);
        return answer;
    }

    /** An answer to come. If the leader had to put the request in order, a good one proves that the session lived. */
    private final class Answer<T> extends CompletableFuture<T> {
        private final @Nullable String path;
        private final boolean ordered;
        private final long sentNanos = clock.nanos();
        private final Thread sender = Thread.currentThread();

        Answer(@Nullable String path, boolean ordered) {
            this.path = path;
            this.ordered = ordered;
        }

        void give(int code, @Nullable T value) {
            noteMessenger(sender);
            heard(Code.get(code));
            if (code != Code.OK.intValue()) {
                completeExceptionally(KeeperException.create(Code.get(code), path));
            } else if (value == null) {
                completeExceptionally(KeeperException.create(Code.MARSHALLINGERROR, path));
            } else {
                if (ordered) {
                    prove(sentNanos);
                }
                complete(value);
            }
        }
    }
}
