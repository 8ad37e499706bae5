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
import java.time.Duration;
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

    private final Members members;
    private final StoreContext context;
    private final @Nullable Login login;
    private final ShortWait shortWait;
    private final AtomicLong newestRevision = new AtomicLong();
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
        Member member = members.current();
        try {
            return send(
                    member.channel(),
                    KVGrpc.getTxnMethod(),
                    request,
                    context.commandTimeout().toNanos());
        } catch (IllegalStateException noChannel) {
            return CompletableFuture.failedFuture(noChannel);
        }
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
        try {
            return send(
                    members.current().channel(),
                    LeaseGrpc.getLeaseRevokeMethod(),
                    LeaseRevokeRequest.newBuilder().setID(lease).build(),
                    context.commandTimeout().toNanos());
        } catch (IllegalStateException noChannel) {
            return CompletableFuture.failedFuture(noChannel);
        }
    }

    /** As {@link #revoke}, and waits for the answer. */
    void revokeNow(long lease, Call call) {
        ask(
                LeaseGrpc.getLeaseRevokeMethod(),
                LeaseRevokeRequest.newBuilder().setID(lease).build(),
                call);
    }

    /** Opens a stream for watches on the present member. */
    ClientCall<WatchRequest, WatchResponse> openWatch(ClientCall.Listener<WatchResponse> listener) {
        ClientCall<WatchRequest, WatchResponse> stream = members.current()
                .channel()
                .newCall(WatchGrpc.getWatchMethod(), CallOptions.DEFAULT.withExecutor(Runnable::run));
        Metadata headers = headers();
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
        boolean fresh = signIn(call, false);
        for (int left = members.size(); ; left--) {
            Member member = members.current();
            Channel channel = open(member, call);
            // Half of the time for the first, so that a member that is silent does not cost the call.
            long nanos = repeatable && left > 1 ? call.leftNanos() / 2 : call.leftNanos();
            try {
                return call.await(send(channel, method, request, nanos), shortWait);
            } catch (StatusRuntimeException failed) {
                Status.Code code = failed.getStatus().getCode();
                if (isSignedOut(failed) && !fresh && login != null) {
                    fresh = signIn(call, true);
                    left++;
                    continue;
                }
                boolean lost = code == Status.Code.UNAVAILABLE || code == Status.Code.DEADLINE_EXCEEDED;
                if (lost) {
                    leave(member, channel, failed.getStatus());
                }
                if (!lost || !repeatable || left <= 1 || call.leftNanos() == 0) {
                    throw isLeaseGone(failed) ? new LeaseGone(failed) : call.fault(failed);
                }
                repeats.run();
            }
        }
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
                || said.contains("invalid auth token");
    }

    /** Gets a token if there is a user and none yet, or another one; true if a new one was got. */
    private boolean signIn(Call call, boolean again) {
        if (login == null || (!again && login.token() != null)) {
            return false;
        }
        login.forgetToken();
        Member member = members.current();
        Channel channel = open(member, call);
        try {
            login.got(call.await(
                            send(
                                    channel,
                                    AuthGrpc.getAuthenticateMethod(),
                                    AuthenticateRequest.newBuilder()
                                            .setName(login.user())
                                            .setPassword(login.password())
                                            .build(),
                                    call.leftNanos()),
                            shortWait)
                    .getToken());
            return true;
        } catch (StatusRuntimeException failed) {
            if (failed.getStatus().getCode() == Status.Code.UNAVAILABLE
                    || failed.getStatus().getCode() == Status.Code.DEADLINE_EXCEEDED) {
                leave(member, channel, failed.getStatus());
            }
            throw call.fault(failed);
        }
    }

    private <Q, R> CompletableFuture<R> send(Channel channel, MethodDescriptor<Q, R> method, Q request, long nanos) {
        Pending<R> answer = new Pending<>();
        ClientCall<Q, R> sent = channel.newCall(
                method, CallOptions.DEFAULT.withExecutor(Runnable::run).withDeadlineAfter(Duration.ofNanos(nanos)));
        sent.start(answer.listener(), headers());
        sent.request(2);
        sent.sendMessage(request);
        sent.halfClose();
        return answer;
    }

    private Metadata headers() {
        Metadata headers = new Metadata();
        String token = login == null ? null : login.token();
        if (token != null) {
            headers.put(TOKEN, token);
        }
        return headers;
    }

    /** Revisions of answers that a majority stands behind never become less. */
    private boolean isSameCluster(ResponseHeader header, long known) {
        long id = clusterId.get();
        if (id == 0) {
            // Several first answers may come at once.
            clusterId.compareAndSet(0, header.getClusterId());
            id = clusterId.get();
        }
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
