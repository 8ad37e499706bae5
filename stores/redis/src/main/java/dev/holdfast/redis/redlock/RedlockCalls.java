package dev.holdfast.redis.redlock;

import dev.holdfast.LockKind;
import dev.holdfast.redis.wire.Call;
import dev.holdfast.redis.wire.ClientId;
import dev.holdfast.redis.wire.Keys;
import dev.holdfast.redis.wire.RecordField;
import dev.holdfast.redis.wire.Records;
import dev.holdfast.redis.wire.Script;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.OwnerId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Supplier;

/** Makes the calls to single nodes; what each does is written in its script. Immutable. */
final class RedlockCalls {
    /** Later than every attempt. */
    static final long ALL_ATTEMPTS = 1L << 52;

    /** How the scripts call what a name is held as. */
    static final byte LOCK = 'e';

    static final byte WRITER = 'w';
    static final byte READER = 'r';

    private static final byte[] NOTHING = {};
    private static final byte[] YES = {'1'};
    private static final byte[] NO = {'0'};

    /** A request does not stay on its way for longer; at most, it then holds a node for its lease. */
    private static final byte[] TOMBSTONE_MILLIS = Keys.bytes("60000");

    private final Keys keys;
    private final byte[] node;
    private final byte[] mark;
    private final byte[] channel;
    private final Fencing fencing;

    /** How the epoch is written back to a node that answered another counter. */
    @FunctionalInterface
    interface Fencing {
        /** The protocol's own way. */
        Fencing SOUND = (name, node, owner, answered, epoch, attempt) -> Call.of(
                Script.REDLOCK_FENCE,
                List.of(name, node),
                List.of(owner, number(answered), number(epoch), number(attempt)));

        Call fence(byte[] name, byte[] node, byte[] owner, long answered, long epoch, long attempt);
    }

    RedlockCalls(String prefix, Fencing fencing) {
        String own = prefix + ":rl";
        this.keys = new Keys(own);
        this.node = Keys.bytes(own + ":node");
        this.mark = Keys.bytes(own + ":empty");
        this.channel = Keys.bytes(keys.channel(ClientId.mint()));
        this.fencing = fencing;
    }

    Keys keys() {
        return keys;
    }

    /** {@return where this client is told that something is free} */
    String channel() {
        return new String(channel, StandardCharsets.UTF_8);
    }

    /** The same question for every node: the call to each is made of it. */
    Supplier<Call> acquire(Claim claim, long attempt, long hint) {
        byte[] about =
                Keys.bytes(claim.holder().clientName() + "\n" + claim.holder().label());
        ByteBuffer record = ByteBuffer.allocate(RecordField.ASKED_TEXT.at() + about.length)
                .putInt(RecordField.ASKED_LEASE.at(), Math.toIntExact(millis(claim.lease())))
                .putLong(RecordField.ASKED_ATTEMPT.at(), attempt)
                .putLong(RecordField.ASKED_HINT.at(), hint)
                .put(RecordField.ASKED_KIND.at(), kind(claim.parts().get(0)))
                .put(RecordField.ASKED_TEXT.at(), about);
        RecordField.ASKED_OWNER.put(record, claim.owner());
        Call call = Call.of(
                isReader(claim.parts().get(0)) ? Script.REDLOCK_READ : Script.REDLOCK_ACQUIRE,
                List.of(name(claim), node),
                List.of(record.array(), claim.queue() ? channel : NOTHING, number(hint)));
        return call::twin;
    }

    /** Asks a node to give an epoch to a holder, before a quorum has. */
    Call fence(String name, OwnerId owner, long answered, long epoch, long attempt) {
        return fencing.fence(keys.head(name), node, Records.owner(owner), answered, epoch, attempt);
    }

    /** Tells a node with which epoch it holds for an owner to whom a quorum has given it. */
    Call tell(Grant grant, long answered, long attempt) {
        return Call.of(
                Script.REDLOCK_FENCE,
                List.of(keys.head(grant.name()), node),
                List.of(Records.owner(grant.owner()), number(answered), number(grant.epoch()), number(attempt), YES));
    }

    /** Takes back what attempts up to this one took, and with a tombstone what they would still take. */
    Call undo(String name, OwnerId owner, long attempt, boolean tombstone) {
        return Call.of(
                Script.REDLOCK_UNDO,
                List.of(keys.head(name), node),
                List.of(Records.owner(owner), number(attempt), tombstone ? TOMBSTONE_MILLIS : NO, NO, NOTHING));
    }

    /** Ends a claim altogether. */
    Call withdraw(Claim claim, boolean tombstone) {
        return Call.of(
                Script.REDLOCK_UNDO,
                List.of(name(claim), node),
                List.of(
                        Records.owner(claim.owner()),
                        number(ALL_ATTEMPTS),
                        tombstone ? TOMBSTONE_MILLIS : NO,
                        YES,
                        claim.queue() ? channel : NOTHING));
    }

    Call release(List<Grant> grants) {
        return Call.of(
                Script.REDLOCK_RELEASE,
                grants.stream().map(grant -> keys.head(grant.name())).toList(),
                grants.stream().map(Records::grant).toList());
    }

    Call renew(List<Grant> grants) {
        return Call.of(
                Script.REDLOCK_RENEW,
                grants.stream().map(grant -> keys.head(grant.name())).toList(),
                grants.stream().map(Records::renewal).toList());
    }

    Call evict(String name, OptionalLong epoch, String by, String reason) {
        return Call.of(
                        Script.REDLOCK_EVICT,
                        List.of(keys.head(name), node),
                        List.of(Keys.bytes(by), Keys.bytes(reason), Keys.bytesOf(epoch)))
                .once();
    }

    Call inspect(String name) {
        return Call.of(Script.REDLOCK_INSPECT, List.of(keys.head(name), node), List.of());
    }

    Call look(String newMark, Duration longestStep) {
        return Call.of(
                Script.REDLOCK_LOOK, List.of(node, mark), List.of(Keys.bytes(newMark), number(longestStep.toMillis())));
    }

    Call vote(byte[] markId, long floor, long maxLeaseMillis) {
        return Call.of(
                Script.REDLOCK_VOTE, List.of(node, mark), List.of(markId, number(floor), number(maxLeaseMillis)));
    }

    static byte[] number(long number) {
        return Keys.bytes(Long.toString(number));
    }

    /** Rounded up, so that no node ends a lease early. */
    static long millis(Duration lease) {
        return lease.plusNanos(999_999).toMillis();
    }

    /** {@return whether others may hold beside it} */
    static boolean isReader(Claim.Part part) {
        return part.kind() == LockKind.READ_WRITE && !part.exclusive();
    }

    private static byte kind(Claim.Part part) {
        if (part.kind() == LockKind.EXCLUSIVE) {
            return LOCK;
        }
        return isReader(part) ? READER : WRITER;
    }

    private byte[] name(Claim claim) {
        return keys.head(claim.parts().get(0).name());
    }
}
