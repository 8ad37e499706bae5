package dev.holdfast.etcd;

import dev.holdfast.spi.StoreContext;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.LeaseGrantResponse;
import io.etcd.jetcd.api.LeaseKeepAliveResponse;
import io.etcd.jetcd.api.ResponseHeader;
import io.etcd.jetcd.api.TxnResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
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
    private volatile @Nullable Session current;
    private volatile boolean closed;

    Sessions(Wire wire, Transactions transactions, StoreContext context, Duration asked, Consumer<Session> ended) {
        this.wire = wire;
        this.transactions = transactions;
        this.context = context;
        this.asked = asked;
        this.ended = ended;
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
            awaitTurn(call);
            try {
                if (current == session) {
                    return begin(call);
                }
            } finally {
                beginning.unlock();
            }
        }
    }

    /** Takes the lock for beginning a session; an interrupt is kept for the caller. */
    private void awaitTurn(Call call) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    if (!beginning.tryLock(call.leftNanos(), TimeUnit.NANOSECONDS)) {
                        throw call.unavailable(new IllegalStateException("no session could be begun in time"));
                    }
                    return;
                } catch (InterruptedException later) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private Session begin(Call call) {
        if (closed) {
            throw call.unavailable(new IllegalStateException("the store is closed"));
        }
        Format format = raise(call);
        long sentNanos = context.clock().nanos();
        LeaseGrantResponse lease = wire.grantLease(Math.max(1, (asked.toMillis() + 999) / 1_000), call);
        Session session =
                new Session(lease.getID(), Duration.ofSeconds(lease.getTTL()), sentNanos, format, context.clock());
        current = session;
        if (closed) {
            close();
            throw call.unavailable(new IllegalStateException("the store is closed"));
        }
        keepAliveIn(session, session.timeout().dividedBy(ASKS_PER_TIMEOUT));
        return session;
    }

    /** Reads the offset and raises it to where the clock stands. */
    private Format raise(Call call) {
        TxnResponse read = wire.txn(transactions.readFormat(), call);
        for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
            List<KeyValue> found = read.getResponses(0).getResponseRange().getKvsList();
            Format known =
                    found.isEmpty() ? new Format(0) : Format.read(found.get(0).getValue());
            Format raised = known.raised(read.getHeader().getRevision(), System.currentTimeMillis());
            if (!found.isEmpty() && raised.equals(known)) {
                return known;
            }
            read = wire.txn(
                    transactions.writeFormat(found.isEmpty() ? 0 : found.get(0).getModRevision(), raised.write()),
                    call);
            if (read.getSucceeded()) {
                return raised;
            }
        }
        throw call.unavailable(new IllegalStateException("the key 'format' was changed again and again"));
    }

    /** Proves that a session lives; throws {@link Wire.LeaseGone} if it does not. */
    void prove(Session session, Call call) {
        prove(session, call, () -> readOrdered(session, call));
    }

    /** A read that a majority stands behind, and that brings the offset. */
    ResponseHeader readOrdered(Session session, Call call) {
        TxnResponse read = wire.txn(transactions.readFormat(), call);
        List<KeyValue> found = read.getResponses(0).getResponseRange().getKvsList();
        if (!found.isEmpty()) {
            session.saw(Format.read(found.get(0).getValue()));
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
            wire.revoke(session.id());
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

    /** Ends the session and everything that belongs to it, if the cluster answers. */
    void close() {
        closed = true;
        Session last = current;
        if (last == null || !last.end()) {
            return;
        }
        Call call = wire.call("close", "the session");
        try {
            wire.revokeNow(last.id(), call);
        } catch (RuntimeException unanswered) {
            // The lease ends by itself: nobody keeps it alive any more.
            return;
        }
    }
}
