package dev.holdfast.etcd;

import dev.holdfast.spi.StoreContext;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.LeaseGrantResponse;
import io.etcd.jetcd.api.LeaseKeepAliveResponse;
import io.etcd.jetcd.api.ResponseHeader;
import io.etcd.jetcd.api.TxnResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Begins sessions, keeps them alive and ends them. There is one at a time. Thread-safe.
 *
 * <p>A keep-alive is answered from the memory of a member that takes itself for the leader, and may be wrong. It counts,
 * from the moment it was sent, only if a request that was sent after its answer, and that a majority stands behind, is
 * answered in the same term: then nobody else led when it was answered, and whoever leads later gives every lease its whole
 * time again.
 */
final class Sessions {
    private static final int MOST_ATTEMPTS = 8;
    private static final int ASKS_PER_TIMEOUT = 3;

    /** A proof that is this part of a session old serves another renewal too. */
    private static final int FRESH_PART = 12;

    /** After a keep-alive that was not answered. */
    private static final Duration SOON = Duration.ofMillis(200);

    private final Wire wire;
    private final Transactions transactions;
    private final StoreContext context;
    private final Duration asked;
    private final Consumer<Session> ended;
    private final ReentrantLock beginning = new ReentrantLock();
    private final Revocations revocations;

    /** The largest epoch that an earlier session may have given; guarded by the lock for beginning. */
    private long knownEpoch;

    private volatile @Nullable Session current;
    private volatile boolean closed;

    Sessions(Wire wire, Transactions transactions, StoreContext context, Duration asked, Consumer<Session> ended) {
        this.wire = wire;
        this.transactions = transactions;
        this.context = context;
        this.asked = asked;
        this.ended = ended;
        this.revocations = new Revocations(wire, context.clock());
    }

    /** The session that lives, or a new one. That one is over is told before anything is locked. */
    Session ready(Call call) {
        while (true) {
            Session session = current;
            if (session != null && session.isAlive()) {
                return session;
            }
            if (session != null) {
                over(session);
            }
            call.takeTurn(beginning, "no session could be begun in time");
            try {
                if (current == session) {
                    knownEpoch = Math.max(
                            knownEpoch, session == null ? 0 : session.format().offset() + wire.highestRevision());
                    return begin(call);
                }
            } finally {
                beginning.unlock();
            }
        }
    }

    private Session begin(Call call) {
        if (closed) {
            throw call.unavailable(new IllegalStateException("the store is closed"));
        }
        Raised raised = raise(call);
        long sentNanos = context.clock().nanos();
        LeaseGrantResponse lease = wire.grantLease(Math.max(1, (asked.toMillis() + 999) / 1_000), call);
        Session session = new Session(
                lease.getID(),
                Duration.ofSeconds(lease.getTTL()),
                sentNanos,
                raised.format(),
                raised.revision(),
                context.clock());
        current = session;
        if (closed) {
            close();
            throw call.unavailable(new IllegalStateException("the store is closed"));
        }
        keepAliveIn(session, session.timeout().dividedBy(ASKS_PER_TIMEOUT));
        return session;
    }

    /** An offset, and a revision at which it was so. */
    private record Raised(Format format, long revision) {}

    /** Reads the offset and raises it to where the clock stands, and above what this client has seen. */
    private Raised raise(Call call) {
        TxnResponse read = wire.txn(transactions.readFormat(), call);
        for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
            List<KeyValue> found = read.getResponses(0).getResponseRange().getKvsList();
            Format known =
                    found.isEmpty() ? new Format(0) : Format.read(found.get(0).getValue());
            long revision = read.getHeader().getRevision();
            Format raised = known.raised(revision, System.currentTimeMillis(), knownEpoch);
            if (!found.isEmpty() && raised.equals(known)) {
                return new Raised(known, revision);
            }
            read = wire.txn(
                    transactions.writeFormat(found.isEmpty() ? 0 : found.get(0).getModRevision(), raised.write()),
                    call);
            if (read.getSucceeded()) {
                return new Raised(raised, read.getHeader().getRevision());
            }
        }
        throw call.unavailable(new IllegalStateException("the key 'format' was changed again and again"));
    }

    /** Proves that a session lives; throws {@link Wire.LeaseGone} if it does not. */
    void prove(Session session, Call call) {
        prove(session, call, () -> readOrdered(session, call));
    }

    /**
     * A read that a majority stands behind, and that brings the offset. If there is none any more, or a smaller one, the
     * session is over, and this is {@link Wire.LeaseGone}.
     */
    ResponseHeader readOrdered(Session session, Call call) {
        TxnResponse read = wire.txn(transactions.readFormat(), call);
        List<KeyValue> found = read.getResponses(0).getResponseRange().getKvsList();
        if (found.isEmpty()
                || !session.saw(
                        Format.read(found.get(0).getValue()), read.getHeader().getRevision())) {
            over(session);
            throw new Wire.LeaseGone(null);
        }
        return read.getHeader();
    }

    /**
     * Proves that a session lives.
     *
     * @param ordered a request that a majority stands behind; asked at least once
     */
    void prove(Session session, Call call, Supplier<ResponseHeader> ordered) {
        long age = context.clock().nanos() - session.provenNanos();
        if (session.isAlive() && age < session.timeout().dividedBy(FRESH_PART).toNanos()) {
            ResponseHeader unused = ordered.get();
            return;
        }
        for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
            long sentNanos = context.clock().nanos();
            LeaseKeepAliveResponse answer = wire.keepAlive(session.id(), call);
            if (answer.getTTL() <= 0) {
                over(session);
                throw new Wire.LeaseGone(null);
            }
            ResponseHeader header = ordered.get();
            if (header.getRaftTerm() == answer.getHeader().getRaftTerm()) {
                if (!session.proved(sentNanos)) {
                    over(session);
                    throw new Wire.LeaseGone(null);
                }
                return;
            }
        }
        throw call.unavailable(new IllegalStateException("the leader changed again and again"));
    }

    /** A session is over; whatever the cluster still has of it is deleted. */
    void over(Session session) {
        if (session.end()) {
            revocations.begin(session);
            ended.accept(session);
        }
    }

    /** The cluster is not the one it was. */
    void restored() {
        Session session = current;
        if (session != null) {
            over(session);
        }
    }

    private void keepAliveIn(Session session, Duration delay) {
        context.scheduler().schedule(delay, () -> keepAlive(session));
    }

    private void keepAlive(Session session) {
        if (closed || session.hasEnded()) {
            return;
        }
        Duration period = session.timeout().dividedBy(ASKS_PER_TIMEOUT);
        Duration age = Duration.ofNanos(context.clock().nanos() - session.provenNanos());
        if (age.compareTo(session.timeout()) >= 0) {
            over(session);
            return;
        }
        Duration next = period;
        if (age.compareTo(period.multipliedBy(9).dividedBy(10)) < 0) {
            next = period.minus(age);
        } else {
            try {
                prove(session, wire.call("keep alive", "the session"));
            } catch (RuntimeException unanswered) {
                next = SOON.compareTo(period) < 0 ? SOON : period;
            }
        }
        if (!session.hasEnded()) {
            keepAliveIn(session, next);
        }
    }

    /** Ends the session and everything that belongs to it or to an earlier one, if the cluster answers. */
    void close() {
        closed = true;
        Session last = current;
        revocations.finish(last != null && last.end() ? last : null, wire.call("close", "the session"));
    }
}
