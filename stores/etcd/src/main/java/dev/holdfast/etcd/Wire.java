package dev.holdfast.etcd;

import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.spi.ShortWait;
import dev.holdfast.spi.StoreContext;
import io.etcd.jetcd.api.AuthGrpc;
import io.etcd.jetcd.api.AuthenticateRequest;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.LeaseGrantRequest;
import io.etcd.jetcd.api.LeaseGrantResponse;
import io.etcd.jetcd.api.LeaseGrpc;
import io.etcd.jetcd.api.LeaseKeepAliveRequest;
import io.etcd.jetcd.api.LeaseKeepAliveResponse;
import io.etcd.jetcd.api.LeaseRevokeRequest;
import io.etcd.jetcd.api.LeaseRevokeResponse;
import io.etcd.jetcd.api.ResponseHeader;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.TxnResponse;
import io.etcd.jetcd.api.WatchGrpc;
import io.etcd.jetcd.api.WatchRequest;
import io.etcd.jetcd.api.WatchResponse;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Calls to the cluster, each with a deadline. A call that cannot do harm twice is repeated on another member within the
 * same deadline. Thread-safe.
 *
 * <p>It also notices a cluster that was restored or replaced: its revisions have gone back, or its id is another.
 */
final class Wire {
    private static final Metadata.Key<String> TOKEN = Metadata.Key.of("token", Metadata.ASCII_STRING_MARSHALLER);

    /** Has the server end a stream when it has no leader. */
    private static final Metadata.Key<String> NEEDS_LEADER =
            Metadata.Key.of("hasleader", Metadata.ASCII_STRING_MARSHALLER);

    private static final Runnable NOTHING = () -> {};

    /** How many tokens one call asks with: a member that is behind does not know a new one yet. */
    private static final int MOST_TOKENS = 8;

    private final Members members;
    private final StoreContext context;
    private final @Nullable Login login;
    private final ShortWait shortWait;
    private final AtomicLong newestRevision = new AtomicLong();
    private final AtomicLong highestRevision = new AtomicLong();
    private final AtomicLong clusterId = new AtomicLong();
    private volatile Observer observer = Observer.NOBODY;
    private volatile boolean closed;

    /** Who is told what happens to the cluster. */
    interface Observer {
        Observer NOBODY = new Observer() {
            @Override
            public void movedOn() {}

            @Override
            public void restored() {}
        };

        /** Calls go to another member, or over a new connection. */
        void movedOn();

        /** The cluster is not the one it was. */
        void restored();
    }

    Wire(Members members, StoreContext context, @Nullable Login login) {
        this.members = members;
        this.context = context;
        this.login = login;
        this.shortWait = context.newShortWait();
    }

    void observe(Observer who) {
        observer = who;
    }

    Call call(String operation, String lockName) {
        return new Call(operation, lockName, context);
    }

    /** A transaction that may be repeated: the second finds what the first has left. */
    TxnResponse txn(TxnRequest request, Call call) {
        return ordered(request, call, true, NOTHING);
    }

    /**
     * As above.
     *
     * @param repeats is told before a request is repeated: the one before was not answered, and may still arrive
     */
    TxnResponse txn(TxnRequest request, Call call, Runnable repeats) {
        return ordered(request, call, true, repeats);
    }

    /** A transaction of which a second one would be answered otherwise. */
    TxnResponse txnOnce(TxnRequest request, Call call) {
        return ordered(request, call, false, NOTHING);
    }

    private TxnResponse ordered(TxnRequest request, Call call, boolean repeatable, Runnable repeats) {
        long known = newestRevision.get();
        TxnResponse response = ask(KVGrpc.getTxnMethod(), request, call, repeatable, repeats);
        if (!isSameCluster(response.getHeader(), known)) {
            observer.restored();
            throw call.unavailable(
                    new IllegalStateException("the cluster was restored or replaced, so the session is over"));
        }
        return response;
    }

    /** Asks without waiting; once, and of the present member only. */
    CompletableFuture<TxnResponse> txnLater(TxnRequest request) {
        return sendLater(KVGrpc.getTxnMethod(), request);
    }

    LeaseGrantResponse grantLease(long seconds, Call call) {
        return ask(
                LeaseGrpc.getLeaseGrantMethod(),
                LeaseGrantRequest.newBuilder().setTTL(seconds).build(),
                call);
    }

    /** Prolongs a lease; a time of zero in the answer means that there is none. */
    LeaseKeepAliveResponse keepAlive(long lease, Call call) {
        return ask(
                LeaseGrpc.getLeaseKeepAliveMethod(),
                LeaseKeepAliveRequest.newBuilder().setID(lease).build(),
                call);
    }

    /** Ends a lease with everything that belongs to it. */
    CompletableFuture<LeaseRevokeResponse> revoke(long lease) {
        return sendLater(
                LeaseGrpc.getLeaseRevokeMethod(),
                LeaseRevokeRequest.newBuilder().setID(lease).build());
    }

    /** As {@link #revoke}, and waits for the answer. */
    void revokeNow(long lease, Call call) {
        ask(
                LeaseGrpc.getLeaseRevokeMethod(),
                LeaseRevokeRequest.newBuilder().setID(lease).build(),
                call);
    }

    /**
     * Opens a stream for watches on the present member.
     *
     * @param token with which it asks for as long as it lives
     */
    ClientCall<WatchRequest, WatchResponse> openWatch(
            ClientCall.Listener<WatchResponse> listener, @Nullable String token) {
        ClientCall<WatchRequest, WatchResponse> stream = members.current()
                .channel()
                .newCall(WatchGrpc.getWatchMethod(), CallOptions.DEFAULT.withExecutor(Runnable::run));
        Metadata headers = headers(token);
        headers.put(NEEDS_LEADER, "true");
        stream.start(listener, headers);
        stream.request(Integer.MAX_VALUE);
        return stream;
    }

    void close() {
        closed = true;
        members.close(context.commandTimeout().toNanos());
    }

    private <Q, R> R ask(MethodDescriptor<Q, R> method, Q request, Call call) {
        return ask(method, request, call, true, NOTHING);
    }

    private <Q, R> R ask(MethodDescriptor<Q, R> method, Q request, Call call, boolean repeatable, Runnable repeats) {
        String token = login == null || login.token() != null ? token() : signIn(null, call);
        for (int attempt = 1; ; attempt++) {
            try {
                return askMembers(method, request, call, repeatable, repeats, token);
            } catch (StatusRuntimeException failed) {
                if (isLeaseGone(failed)) {
                    throw new LeaseGone(failed);
                }
                if (login == null || !isSignedOut(failed)) {
                    throw call.fault(failed);
                }
                if (attempt == MOST_TOKENS) {
                    throw call.unavailable(failed);
                }
                token = signIn(token, call);
            }
        }
    }

    private <Q, R> R askMembers(
            MethodDescriptor<Q, R> method,
            Q request,
            Call call,
            boolean repeatable,
            Runnable repeats,
            @Nullable String token)
            throws StatusRuntimeException {
        for (int left = members.size(); ; left--) {
            Member member = members.current();
            Channel channel = open(member, call);
            // Half of the time for the first, so that a member that is silent does not cost the call.
            long nanos = repeatable && left > 1 ? call.leftNanos() / 2 : call.leftNanos();
            try {
                return call.await(send(channel, method, CallOptions.DEFAULT, request, token), nanos, shortWait);
            } catch (StatusRuntimeException failed) {
                Status.Code code = failed.getStatus().getCode();
                boolean lost = code == Status.Code.UNAVAILABLE || code == Status.Code.DEADLINE_EXCEEDED;
                if (lost) {
                    leave(member, channel, failed.getStatus());
                }
                if (!lost || !repeatable || left <= 1 || call.leftNanos() == 0) {
                    throw failed;
                }
                repeats.run();
            }
        }
    }

    /** The token to ask with, or null where none is needed or known. */
    @Nullable
    String token() {
        return login == null ? null : login.token();
    }

    /** Gets another token than one that failed, unless somebody has. */
    private @Nullable String signIn(@Nullable String failed, Call call) {
        Login who = login;
        return who == null
                ? null
                : who.tokenAfter(failed, call, () -> {
                    AuthenticateRequest request = AuthenticateRequest.newBuilder()
                            .setName(who.user())
                            .setPassword(who.password())
                            .build();
                    try {
                        return askMembers(AuthGrpc.getAuthenticateMethod(), request, call, true, NOTHING, null)
                                .getToken();
                    } catch (StatusRuntimeException refused) {
                        throw call.fault(refused);
                    }
                });
    }

    /** As a request with a token does that is refused: for a stream that was opened with it. Waits for the answer. */
    void signInAfter(@Nullable String failed) {
        signIn(failed, call("sign in", "the watches"));
    }

    private Channel open(Member member, Call call) {
        if (member.isShutDownByItsUser()) {
            throw new StoreMisconfiguredException(
                    "the channel to etcd was shut down before Holdfast; shut it down after Holdfast");
        }
        try {
            return member.channel();
        } catch (IllegalStateException whileClosing) {
            throw call.unavailable(whileClosing);
        }
    }

    /** A member that answers that it has no leader, or no time, keeps its connection. */
    private void leave(Member member, Channel channel, Status status) {
        String said = status.getDescription();
        boolean answered = said != null && said.startsWith("etcdserver:");
        if (!answered) {
            member.leave(channel);
        }
        boolean moved = members.moveOn(member);
        if (!closed && (moved || !answered)) {
            observer.movedOn();
        }
    }

    private static boolean isLeaseGone(StatusRuntimeException failed) {
        return failed.getStatus().getCode() == Status.Code.NOT_FOUND
                && String.valueOf(failed.getStatus().getDescription()).contains("lease not found");
    }

    private static boolean isSignedOut(StatusRuntimeException failed) {
        String said = String.valueOf(failed.getStatus().getDescription());
        return failed.getStatus().getCode() == Status.Code.UNAUTHENTICATED
                || said.contains("revision of auth store is old")
                || said.contains("invalid auth token")
                || said.contains("user name is empty");
    }

    /**
     * Sends a request. There is no deadline at gRPC for those that are waited for, because every one would wake the thread
     * of its timers.
     */
    private static <Q, R> Pending<R> send(
            Channel channel, MethodDescriptor<Q, R> method, CallOptions options, Q request, @Nullable String token) {
        ClientCall<Q, R> sent = channel.newCall(method, options.withExecutor(Runnable::run));
        Pending<R> answer = new Pending<>(sent);
        sent.start(answer.listener(), headers(token));
        sent.request(2);
        sent.sendMessage(request);
        sent.halfClose();
        return answer;
    }

    /** Sends a request of which nobody waits for the answer; to the present member only. */
    private <Q, R> CompletableFuture<R> sendLater(MethodDescriptor<Q, R> method, Q request) {
        try {
            return send(
                    members.current().channel(),
                    method,
                    CallOptions.DEFAULT.withDeadlineAfter(context.commandTimeout()),
                    request,
                    token());
        } catch (IllegalStateException noChannel) {
            return CompletableFuture.failedFuture(noChannel);
        }
    }

    private static Metadata headers(@Nullable String token) {
        Metadata headers = new Metadata();
        if (token != null) {
            headers.put(TOKEN, token);
        }
        return headers;
    }

    /** The largest revision that was ever answered, also by a cluster that has gone back since. */
    long highestRevision() {
        return highestRevision.get();
    }

    /** Revisions of answers that a majority stands behind never become less. */
    private boolean isSameCluster(ResponseHeader header, long known) {
        long id = clusterId.get();
        if (id == 0) {
            // Several first answers may come at once.
            clusterId.compareAndSet(0, header.getClusterId());
            id = clusterId.get();
        }
        highestRevision.accumulateAndGet(header.getRevision(), Math::max);
        boolean same = id == header.getClusterId() && header.getRevision() >= known;
        if (same) {
            newestRevision.accumulateAndGet(header.getRevision(), Math::max);
        } else {
            clusterId.set(header.getClusterId());
            newestRevision.set(header.getRevision());
        }
        return same;
    }

    /** The lease of a request is over, so that it did nothing. */
    static final class LeaseGone extends RuntimeException {
        private static final long serialVersionUID = 1L;

        LeaseGone(@Nullable StatusRuntimeException said) {
            super("the lease is over", said, false, false);
        }
    }
}
