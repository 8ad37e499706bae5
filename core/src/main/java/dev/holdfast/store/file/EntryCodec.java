package dev.holdfast.store.file;

import dev.holdfast.LockKind;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.store.table.TableImage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** Entries as bytes. A change of this form needs a new {@link Header#FORMAT}. */
final class EntryCodec {
    private static final int CLAIMED = 1;
    private static final int ENDED = 2;
    private static final int RELEASED = 3;
    private static final int EVICTED = 4;
    private static final int GONE = 5;
    private static final int SNAPSHOT = 6;
    private static final int ONE_EVICTED = 7;

    private EntryCodec() {}

    static byte[] write(Entry entry) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        if (entry instanceof Entry.Claimed claimed) {
            begin(out, CLAIMED, entry);
            text(out, claimed.client());
            claim(out, claimed.claim());
        } else if (entry instanceof Entry.Ended ended) {
            begin(out, ENDED, entry);
            owner(out, ended.owner());
        } else if (entry instanceof Entry.Released released) {
            begin(out, RELEASED, entry);
            text(out, released.grant().name());
            owner(out, released.grant().owner());
            out.writeLong(released.grant().epoch());
        } else if (entry instanceof Entry.Evicted evicted) {
            begin(out, evicted.epoch().isPresent() ? ONE_EVICTED : EVICTED, entry);
            if (evicted.epoch().isPresent()) {
                out.writeLong(evicted.epoch().getAsLong());
            }
            text(out, evicted.name());
            text(out, evicted.by());
            text(out, evicted.reason());
        } else if (entry instanceof Entry.Gone gone) {
            begin(out, GONE, entry);
            text(out, gone.client());
        } else if (entry instanceof Entry.Snapshot snapshot) {
            begin(out, SNAPSHOT, entry);
            out.writeLong(snapshot.sequence());
            out.writeLong(snapshot.nextEpoch());
            image(out, snapshot.image());
        }
        return bytes.toByteArray();
    }

    static Entry read(byte[] bytes) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        int kind = in.readByte();
        long at = in.readLong();
        return switch (kind) {
            case CLAIMED -> new Entry.Claimed(at, text(in), claim(in));
            case ENDED -> new Entry.Ended(at, owner(in));
            case RELEASED -> new Entry.Released(at, grant(in));
            case EVICTED -> evicted(at, OptionalLong.empty(), in);
            case ONE_EVICTED -> evicted(at, OptionalLong.of(in.readLong()), in);
            case GONE -> new Entry.Gone(at, text(in));
            case SNAPSHOT -> new Entry.Snapshot(at, in.readLong(), in.readLong(), image(in));
            default -> throw new IOException("the journal has an entry of the unknown kind " + kind);
        };
    }

    private static Entry evicted(long at, OptionalLong epoch, DataInputStream in) throws IOException {
        return new Entry.Evicted(at, text(in), epoch, text(in), text(in));
    }

    private static void begin(DataOutputStream out, int kind, Entry entry) throws IOException {
        out.writeByte(kind);
        out.writeLong(entry.atNanos());
    }

    private static void image(DataOutputStream out, TableImage<String> image) throws IOException {
        out.writeLong(image.arrivals());
        out.writeInt(image.claims().size());
        for (TableImage.Entry<String> live : image.claims()) {
            claim(out, live.claim());
            text(out, live.client());
            out.writeLong(live.arrival());
            out.writeLong(live.sinceNanos());
            out.writeLong(live.expiresAtNanos());
            out.writeInt(live.epochs().size());
            for (long epoch : live.epochs()) {
                out.writeLong(epoch);
            }
        }
        out.writeInt(image.evictions().size());
        for (TableImage.Eviction eviction : image.evictions()) {
            text(out, eviction.name());
            text(out, eviction.by());
            text(out, eviction.reason());
            out.writeLong(eviction.atNanos());
        }
    }

    private static TableImage<String> image(DataInputStream in) throws IOException {
        long arrivals = in.readLong();
        List<TableImage.Entry<String>> claims = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            Claim claim = claim(in);
            String client = text(in);
            long arrival = in.readLong();
            long since = in.readLong();
            long expiresAt = in.readLong();
            List<Long> epochs = new ArrayList<>();
            for (int more = in.readInt(); more > 0; more--) {
                epochs.add(in.readLong());
            }
            claims.add(new TableImage.Entry<>(claim, client, arrival, since, expiresAt, epochs));
        }
        List<TableImage.Eviction> evictions = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            evictions.add(new TableImage.Eviction(text(in), text(in), text(in), in.readLong()));
        }
        return new TableImage<>(arrivals, claims, evictions);
    }

    private static void claim(DataOutputStream out, Claim claim) throws IOException {
        out.writeInt(claim.parts().size());
        for (Claim.Part part : claim.parts()) {
            text(out, part.name());
            text(out, part.kind().name());
            out.writeInt(part.units());
            out.writeInt(part.capacity());
        }
        owner(out, claim.owner());
        out.writeLong(claim.lease().toNanos());
        text(out, claim.holder().clientName());
        text(out, claim.holder().label());
        out.writeBoolean(claim.queue());
    }

    private static Claim claim(DataInputStream in) throws IOException {
        List<Claim.Part> parts = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            parts.add(new Claim.Part(text(in), LockKind.valueOf(text(in)), in.readInt(), in.readInt()));
        }
        OwnerId owner = owner(in);
        Duration lease = Duration.ofNanos(in.readLong());
        return new Claim(parts, owner, lease, new Claim.HolderInfo(text(in), text(in)), in.readBoolean());
    }

    /** As much of a grant as a release needs. */
    private static Grant grant(DataInputStream in) throws IOException {
        return new Grant(text(in), owner(in), in.readLong(), Duration.ZERO, null, null, false);
    }

    private static void owner(DataOutputStream out, OwnerId owner) throws IOException {
        out.writeLong(owner.high());
        out.writeLong(owner.low());
    }

    private static OwnerId owner(DataInputStream in) throws IOException {
        return new OwnerId(in.readLong(), in.readLong());
    }

    private static void text(DataOutputStream out, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    private static String text(DataInputStream in) throws IOException {
        return new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8);
    }
}
