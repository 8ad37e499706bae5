package dev.holdfast.redis.lock;

import dev.holdfast.LossReason;
import dev.holdfast.redis.topology.Subscriber;
import dev.holdfast.redis.wire.Clocks;
import dev.holdfast.redis.wire.Keys;
import dev.holdfast.redis.wire.Records;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.ServerClock;
import dev.holdfast.spi.StoreListener;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Knows which claims of this client stand in line, and passes on what their holders and waiters are told. Thread-safe.
 */
final class Inbox implements Subscriber.Listener {
    private static final int EPOCH_BYTES = Long.BYTES;

    private final StoreListener listener;
    private final Keys keys;

    /** Whether a pushed grant may be used at once; otherwise it has to be confirmed by asking for it. */
    private final boolean trustsPushes;

    private final Clocks clocks;

    private final Map<OwnerId, Claim> waiting = new ConcurrentHashMap<>();

    Inbox(StoreListener listener, Keys keys, Clocks clocks, boolean trustsPushes) {
        this.listener = listener;
        this.keys = keys;
        this.clocks = clocks;
        this.trustsPushes = trustsPushes;
    }

    /** A claim is about to enter the line; from now on it may be told of its grant. */
    void enter(Claim claim) {
        waiting.put(claim.owner(), claim);
    }

    void leave(Claim claim) {
        waiting.remove(claim.owner());
    }

    @Override
    public void listening() {
        waiting.values().forEach(claim -> listener.retry(claim.parts().get(0).name(), claim.owner()));
    }

    @Override
    public void heard(byte[] message, ServerClock clock) {
        ByteBuffer in = ByteBuffer.wrap(message);
        switch (in.get()) {
            case 'G' -> granted(in, clock);
            case 'W' -> {
                long epoch = in.getLong();
                listener.wanted(name(in), epoch);
            }
            case 'R' -> asked(Records.owner(in));
            case 'L' -> {
                OwnerId owner = Records.owner(in);
                long epoch = in.getLong();
                listener.lost(name(in), owner, epoch, LossReason.EVICTED);
            }
            default -> {
                // A message that a newer release knows. Messages are hints, so nothing is lost by not understanding
                // one.
            }
        }
    }

    /** A script doubts that a waiter lives, so it asks again. */
    private void asked(OwnerId owner) {
        Claim claim = waiting.get(owner);
        if (claim != null) {
            listener.retry(claim.parts().get(0).name(), owner);
        }
    }

    private void granted(ByteBuffer in, ServerClock clock) {
        Claim claim = waiting.get(Records.owner(in));
        long serverMillis = in.getLong();
        Duration left = Duration.ofMillis(in.getInt());
        byte[] place = new byte[in.get()];
        in.get(place);
        if (claim == null) {
            return;
        }
        List<Grant> grants = grants(claim, in, left);
        if (grants == null) {
            listener.retry(claim.parts().get(0).name(), claim.owner());
        } else {
            waiting.remove(claim.owner());
            ServerClock whose = place.length == 0 ? clock : clocks.at(new String(place, StandardCharsets.UTF_8));
            listener.granted(
                    grants,
                    trustsPushes
                            ? whose.notLaterThan(Duration.ofMillis(serverMillis).toNanos())
                            : StoreListener.UNKNOWN_ANCHOR);
        }
    }

    /** The grants of all parts, epochs first, then whether each is wanted; null if the message is about one part only. */
    private static @Nullable List<Grant> grants(Claim claim, ByteBuffer in, Duration left) {
        int count = claim.parts().size();
        if (in.remaining() != count * (EPOCH_BYTES + 1)) {
            return null;
        }
        long[] epochs = new long[count];
        for (int i = 0; i < count; i++) {
            epochs[i] = in.getLong();
        }
        List<Grant> grants = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            grants.add(new Grant(
                    claim.parts().get(i).name(), claim.owner(), epochs[i], claim.lease(), left, null, in.get() == '1'));
        }
        return grants;
    }

    private String name(ByteBuffer in) {
        byte[] key = new byte[in.remaining()];
        in.get(key);
        return keys.name(key);
    }
}
