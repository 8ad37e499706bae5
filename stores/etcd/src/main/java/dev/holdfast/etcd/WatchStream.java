package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import io.etcd.jetcd.api.WatchCancelRequest;
import io.etcd.jetcd.api.WatchCreateRequest;
import io.etcd.jetcd.api.WatchRequest;
import io.etcd.jetcd.api.WatchResponse;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * All watches of a client, in one stream to one member. A watch has no revision to begin at, because etcd serves those of
 * the past in a loop that runs ten times a second; its first answer tells where it begins. When the stream ends, for whatever
 * reason, all of its watches do, and whoever had them is told; the next watch opens another. A stream asks with the token that
 * it was opened with; when that has ended, each new watch is refused, so the stream ends too. Thread-safe: guarded by its own
 * monitor, inside of which nobody is told anything but that watches have ended.
 */
final class WatchStream {
    private static final int WATCH_ID_FIELD = 7;

    private final Wire wire;
    private final Receiver receiver;
    private final Map<Long, Interest> interests = new HashMap<>();
    private @Nullable Messages current;
    private long lastId;
    private boolean closed;

    /** Who is told; on the thread that reads from the socket. */
    interface Receiver {
        /** A watch begins behind a revision. */
        void began(Place place, long revision);

        /** Something happened to what is watched. */
        void happened(Place place, WatchResponse response);

        /**
         * The watches of some places have ended.
         *
         * @param refused the stream because of which they were refused, or null
         */
        void ended(List<Place> places, @Nullable Refused refused);
    }

    /**
     * A stream on which no watch can be made any more.
     *
     * @param token with which it was opened
     */
    record Refused(@Nullable String token) {}

    private record Interest(Place place, ByteString key) {}

    WatchStream(Wire wire, Receiver receiver) {
        this.wire = wire;
        this.receiver = receiver;
    }

    /**
     * Watches a key, or a range.
     *
     * @param end null for one key
     * @param puts whether changes matter, besides deletions
     */
    void watch(Place place, ByteString key, @Nullable ByteString end, boolean puts) {
        WatchCreateRequest.Builder request = WatchCreateRequest.newBuilder().setKey(key);
        if (end != null) {
            request.setRangeEnd(end);
        }
        if (!puts) {
            request.addFilters(WatchCreateRequest.FilterType.NOPUT);
        }
        synchronized (this) {
            long id = lastId + 1;
            if (closed || !place.watch(key, id)) {
                return;
            }
            lastId = id;
            interests.put(id, new Interest(place, key));
            Messages open = current == null ? open() : current;
            if (open != null) {
                open.send(WatchRequest.newBuilder()
                        .setCreateRequest(request.setUnknownFields(number(id)))
                        .build());
            }
        }
    }

    /** A watch is known by the number that we give it, which etcd takes since 3.4 and jetcd's messages do not know yet. */
    private static UnknownFieldSet number(long id) {
        return UnknownFieldSet.newBuilder()
                .addField(
                        WATCH_ID_FIELD,
                        UnknownFieldSet.Field.newBuilder().addVarint(id).build())
                .build();
    }

    private @Nullable Messages open() {
        Messages opened = new Messages(wire.token());
        // First, because the end of a stream that cannot even be opened is told at once.
        current = opened;
        try {
            opened.call = wire.openWatch(opened, opened.token);
        } catch (IllegalStateException whileClosing) {
            current = null;
        }
        return current;
    }

    synchronized void cancel(List<Long> ids) {
        Messages open = current;
        for (Long id : ids) {
            if (interests.remove(id) != null && open != null) {
                open.send(WatchRequest.newBuilder()
                        .setCancelRequest(WatchCancelRequest.newBuilder().setWatchId(id))
                        .build());
            }
        }
    }

    /** Ends the stream; whoever has watches is told. */
    void reopen() {
        Messages open;
        synchronized (this) {
            open = current;
        }
        if (open != null) {
            over(open, null);
            open.cancel("calls go to another member");
        }
    }

    void close() {
        Messages open;
        synchronized (this) {
            closed = true;
            open = current;
            current = null;
            interests.clear();
        }
        if (open != null) {
            open.cancel("the store is closed");
        }
    }

    private void over(Messages ended, @Nullable Refused refused) {
        Set<Place> places = new HashSet<>();
        synchronized (this) {
            if (current != ended || closed) {
                return;
            }
            current = null;
            interests.forEach((id, interest) -> {
                interest.place().unwatch(interest.key(), id);
                places.add(interest.place());
            });
            interests.clear();
        }
        if (!places.isEmpty()) {
            receiver.ended(List.copyOf(places), refused);
        }
    }

    private void received(Messages from, WatchResponse response) {
        if (response.getCreated() && response.getCanceled()) {
            // Which watch that was is not always told.
            over(from, new Refused(from.token));
            from.cancel("watches are refused: " + response.getCancelReason());
            return;
        }
        Interest interest;
        synchronized (this) {
            interest = response.getCanceled()
                    ? interests.remove(response.getWatchId())
                    : interests.get(response.getWatchId());
        }
        if (interest == null) {
            return;
        }
        if (response.getCanceled()) {
            interest.place().unwatch(interest.key(), response.getWatchId());
            receiver.ended(List.of(interest.place()), null);
        } else if (response.getCreated()) {
            receiver.began(interest.place(), response.getHeader().getRevision());
        } else if (response.getEventsCount() > 0) {
            receiver.happened(interest.place(), response);
        }
    }

    /** What comes in one stream. */
    private final class Messages extends ClientCall.Listener<WatchResponse> {
        private final @Nullable String token;
        private volatile @Nullable ClientCall<WatchRequest, WatchResponse> call;

        Messages(@Nullable String token) {
            this.token = token;
        }

        /** Under the monitor of the outer object, because calls are not thread-safe. */
        void send(WatchRequest request) {
            ClientCall<WatchRequest, WatchResponse> open = call;
            if (open != null) {
                open.sendMessage(request);
            }
        }

        void cancel(String why) {
            ClientCall<WatchRequest, WatchResponse> open = call;
            if (open != null) {
                open.cancel(why, null);
            }
        }

        @Override
        public void onMessage(WatchResponse response) {
            received(this, response);
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            over(this, null);
        }
    }
}
