package dev.holdfast.tck.tcp;

import dev.holdfast.LockKind;
import dev.holdfast.LockView;
import dev.holdfast.LossReason;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.RenewOutcome;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** How claims, grants, outcomes and views travel: fields in order, without names. */
final class Wire {
    private Wire() {}

    /** What a client may ask, as the first byte of a request. */
    enum Request {
        ACQUIRE,
        WITHDRAW,
        RENEW,
        RELEASE,
        INSPECT,
        LIST,
        EVICT,
        PING
    }

    /** What the server may tell, as the first byte of a message. */
    enum Message {
        GRANTED,
        WANTED,
        LOST
    }

    /** Writes one value. */
    interface Writer<T> {
        void write(DataOutputStream out, T value) throws IOException;
    }

    /** Reads one value. */
    interface Reader<T> {
        T read(DataInputStream in) throws IOException;
    }

    static <T> void writeList(DataOutputStream out, List<T> values, Writer<T> writer) throws IOException {
        out.writeInt(values.size());
        for (T value : values) {
            writer.write(out, value);
        }
    }

    static <T> List<T> readList(DataInputStream in, Reader<T> reader) throws IOException {
        List<T> values = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            values.add(reader.read(in));
        }
        return values;
    }

    static void writeOwner(DataOutputStream out, OwnerId owner) throws IOException {
        out.writeLong(owner.high());
        out.writeLong(owner.low());
    }

    static OwnerId readOwner(DataInputStream in) throws IOException {
        return new OwnerId(in.readLong(), in.readLong());
    }

    static void writeClaim(DataOutputStream out, Claim claim) throws IOException {
        writeList(out, claim.parts(), (to, part) -> {
            to.writeUTF(part.name());
            to.writeByte(part.kind().ordinal());
            to.writeInt(part.units());
            to.writeInt(part.capacity());
        });
        writeOwner(out, claim.owner());
        out.writeLong(claim.lease().toNanos());
        out.writeUTF(claim.holder().clientName());
        out.writeUTF(claim.holder().label());
        out.writeBoolean(claim.queue());
    }

    static Claim readClaim(DataInputStream in) throws IOException {
        List<Claim.Part> parts = readList(
                in,
                from -> new Claim.Part(
                        from.readUTF(), LockKind.values()[from.readByte()], from.readInt(), from.readInt()));
        return new Claim(
                parts,
                readOwner(in),
                Duration.ofNanos(in.readLong()),
                new Claim.HolderInfo(in.readUTF(), in.readUTF()),
                in.readBoolean());
    }

    static void writeGrant(DataOutputStream out, Grant grant) throws IOException {
        out.writeUTF(grant.name());
        writeOwner(out, grant.owner());
        out.writeLong(grant.epoch());
        out.writeLong(grant.lease().toNanos());
        Duration validFor = grant.validFor();
        out.writeLong(validFor == null ? 0 : validFor.toNanos());
        out.writeBoolean(grant.wanted());
    }

    static Grant readGrant(DataInputStream in) throws IOException {
        return new Grant(
                in.readUTF(),
                readOwner(in),
                in.readLong(),
                Duration.ofNanos(in.readLong()),
                Duration.ofNanos(in.readLong()),
                null,
                in.readBoolean());
    }

    static void writeAcquired(DataOutputStream out, AcquireOutcome outcome) throws IOException {
        if (outcome instanceof AcquireOutcome.Granted granted) {
            out.writeByte('G');
            writeList(out, granted.grants(), Wire::writeGrant);
        } else if (outcome instanceof AcquireOutcome.Contended contended) {
            out.writeByte('C');
            out.writeLong(contended.retryHint().toNanos());
        } else if (outcome instanceof AcquireOutcome.Mismatch mismatch) {
            out.writeByte('M');
            out.writeUTF(mismatch.detail());
        }
    }

    static AcquireOutcome readAcquired(DataInputStream in) throws IOException {
        return switch (in.readByte()) {
            case 'G' -> new AcquireOutcome.Granted(readList(in, Wire::readGrant));
            case 'C' -> new AcquireOutcome.Contended(Duration.ofNanos(in.readLong()));
            default -> new AcquireOutcome.Mismatch(in.readUTF());
        };
    }

    static void writeRenewed(DataOutputStream out, RenewOutcome outcome) throws IOException {
        if (outcome instanceof RenewOutcome.Renewed renewed) {
            out.writeBoolean(true);
            out.writeLong(Objects.requireNonNull(renewed.validFor()).toNanos());
            out.writeBoolean(renewed.wanted());
        } else if (outcome instanceof RenewOutcome.Lost lost) {
            out.writeBoolean(false);
            out.writeByte(lost.reason().ordinal());
        }
    }

    static RenewOutcome readRenewed(DataInputStream in) throws IOException {
        return in.readBoolean()
                ? new RenewOutcome.Renewed(Duration.ofNanos(in.readLong()), in.readBoolean())
                : new RenewOutcome.Lost(LossReason.values()[in.readByte()]);
    }

    static void writeReleased(DataOutputStream out, ReleaseOutcome outcome) throws IOException {
        out.writeBoolean(outcome instanceof ReleaseOutcome.Released);
    }

    static ReleaseOutcome readReleased(DataInputStream in) throws IOException {
        return in.readBoolean() ? ReleaseOutcome.RELEASED : ReleaseOutcome.NOT_HELD;
    }

    static void writeView(DataOutputStream out, LockView view) throws IOException {
        out.writeUTF(view.name());
        out.writeByte(view.kind().ordinal());
        out.writeInt(view.capacity());
        writeList(out, view.holders(), (to, holder) -> {
            to.writeUTF(holder.clientName());
            to.writeUTF(holder.label());
            to.writeInt(holder.units());
            to.writeLong(holder.token());
            to.writeLong(holder.heldFor().toNanos());
            to.writeLong(holder.remaining().orElse(Duration.ZERO).toNanos());
        });
        writeList(out, view.waiters(), (to, waiter) -> {
            to.writeUTF(waiter.clientName());
            to.writeUTF(waiter.label());
            to.writeInt(waiter.units());
            to.writeLong(waiter.waitingFor().toNanos());
        });
        writeList(out, view.lastEviction().stream().toList(), (to, eviction) -> {
            to.writeUTF(eviction.by());
            to.writeUTF(eviction.reason());
            to.writeLong(eviction.ago().toNanos());
        });
    }

    static LockView readView(DataInputStream in) throws IOException {
        return new LockView(
                in.readUTF(),
                LockKind.values()[in.readByte()],
                in.readInt(),
                readList(
                        in,
                        from -> new LockView.Holder(
                                from.readUTF(),
                                from.readUTF(),
                                from.readInt(),
                                from.readLong(),
                                Duration.ofNanos(from.readLong()),
                                Optional.of(Duration.ofNanos(from.readLong())))),
                readList(
                        in,
                        from -> new LockView.Waiter(
                                from.readUTF(), from.readUTF(), from.readInt(), Duration.ofNanos(from.readLong()))),
                readList(
                                in,
                                from -> new LockView.Eviction(
                                        from.readUTF(), from.readUTF(), Duration.ofNanos(from.readLong())))
                        .stream()
                        .findFirst());
    }
}
