package dev.holdfast.etcd;

import io.etcd.jetcd.api.AuthenticateRequest;
import io.etcd.jetcd.api.WatchGrpc;
import io.etcd.jetcd.api.WatchResponse;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall;
import io.grpc.ForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Sees what is sent through a channel, loses some of it, and changes some of the answers. Thread-safe. */
final class Tap implements ClientInterceptor {
    private static final Metadata.Key<String> TOKEN = Metadata.Key.of("token", Metadata.ASCII_STRING_MARSHALLER);

    private final List<Sent> sent = new CopyOnWriteArrayList<>();
    private final Set<Long> silentWatches = ConcurrentHashMap.newKeySet();
    private volatile Predicate<Object> lost = request -> false;
    private volatile BiFunction<Object, Object, Object> answers = (request, answer) -> answer;
    private volatile ClientCall.@Nullable Listener<Object> watcher;

    private record Sent(Object message, boolean signed) {}

    /** All requests, in order; of a stream each message. */
    <T> List<T> sent(Class<T> type) {
        return sent.stream()
                .map(Sent::message)
                .filter(type::isInstance)
                .map(type::cast)
                .toList();
    }

    /** Requests without a token, but for those that ask for one. */
    List<Object> unsigned() {
        return sent.stream()
                .filter(each -> !each.signed() && !(each.message() instanceof AuthenticateRequest))
                .map(Sent::message)
                .toList();
    }

    void forget() {
        sent.clear();
    }

    /** Requests that never arrive. */
    void lose(Predicate<Object> requests) {
        lost = requests;
    }

    /** What becomes of the answer to a request. */
    void answer(BiFunction<Object, Object, Object> requestAndAnswer) {
        answers = requestAndAnswer;
    }

    /** Says something to the watches, as a server would. */
    void tell(WatchResponse response) {
        java.util.Objects.requireNonNull(watcher).onMessage(response);
    }

    /** Ends a watch, as a server does of which it has compacted what the watch has not been told yet. */
    void compacted(long watch) {
        silentWatches.add(watch);
        tell(WatchResponse.newBuilder()
                .setWatchId(watch)
                .setCanceled(true)
                .setCompactRevision(Long.MAX_VALUE)
                .build());
    }

    @Override
    public <Q, R> ClientCall<Q, R> interceptCall(MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
        return new Tapped<>(next.newCall(method, options), method);
    }

    private final class Tapped<Q, R> extends ForwardingClientCall.SimpleForwardingClientCall<Q, R> {
        private final MethodDescriptor<Q, R> method;
        private volatile @Nullable Object request;
        private volatile boolean signed;

        Tapped(ClientCall<Q, R> call, MethodDescriptor<Q, R> method) {
            super(call);
            this.method = method;
        }

        @Override
        @SuppressWarnings("unchecked")
        public void start(Listener<R> listener, Metadata headers) {
            if (method.getFullMethodName().equals(WatchGrpc.getWatchMethod().getFullMethodName())) {
                watcher = (Listener<Object>) listener;
            }
            signed = headers.containsKey(TOKEN);
            super.start(
                    new ForwardingClientCallListener.SimpleForwardingClientCallListener<>(listener) {
                        @Override
                        public void onMessage(R answer) {
                            if (answer instanceof WatchResponse event && silentWatches.contains(event.getWatchId())) {
                                return;
                            }
                            super.onMessage((R) answers.apply(java.util.Objects.requireNonNull(request), answer));
                        }
                    },
                    headers);
        }

        @Override
        public void sendMessage(Q message) {
            request = message;
            sent.add(new Sent(message, signed));
            if (lost.test(message)) {
                cancel("lost by the test", null);
            } else {
                super.sendMessage(message);
            }
        }

        @Override
        public void halfClose() {
            if (!lost.test(java.util.Objects.requireNonNull(request))) {
                super.halfClose();
            }
        }
    }
}
