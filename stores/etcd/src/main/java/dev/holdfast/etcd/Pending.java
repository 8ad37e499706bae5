package dev.holdfast.etcd;

import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * An answer to come: the first message of a call. It is given by the thread that reads from the socket, so whatever
 * follows from it must not wait. Thread-safe.
 */
final class Pending<R> extends CompletableFuture<R> {
    private final ClientCall<?, R> asked;
    private @Nullable R message;

    Pending(ClientCall<?, R> asked) {
        this.asked = asked;
    }

    /** Nobody waits any more: a connection that is left ends when all that is under way on it has ended. */
    void giveUp() {
        asked.cancel("no answer in time", null);
    }

    /** What gRPC tells; on one thread at a time. */
    ClientCall.Listener<R> listener() {
        return new ClientCall.Listener<>() {
            @Override
            public void onMessage(R first) {
                if (message == null) {
                    message = first;
                    complete(first);
                }
            }

            @Override
            public void onClose(Status status, Metadata trailers) {
                if (message == null) {
                    Status failure = status.isOk()
                            ? Status.UNAVAILABLE.withDescription("the call ended without an answer")
                            : status;
                    completeExceptionally(failure.asRuntimeException());
                }
            }
        };
    }
}
