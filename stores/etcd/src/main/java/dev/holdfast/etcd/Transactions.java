package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.OwnerId;
import io.etcd.jetcd.api.Compare;
import io.etcd.jetcd.api.DeleteRangeRequest;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.TxnRequest;
import java.util.List;
import java.util.Set;

/**
 * Everything that is asked of etcd's keys, in one place. A transaction has one revision, and its reads see its writes.
 *
 * <p>None consists of comparisons only: such a one etcd answers from the member alone, which may be behind.
 */
record Transactions(Layout layout) {
    /** etcd takes 128 operations at each level of a transaction and below it. */
    static final int MOST_NAMES = 60;

    /** How many keys a nested transaction compares, and how many of those there are in one request. */
    static final int GROUP = 60;

    /** How many lines one request reads. */
    static final int MOST_LINES = 100;

    /** For whom it does not matter which is older. */
    static final long EVERY_REVISION = Long.MAX_VALUE;

    /** A key and the transaction that made it. */
    record Made(ByteString key, long revision) {}

    /** Reads the format. */
    TxnRequest readFormat() {
        return TxnRequest.newBuilder().addSuccess(get(layout.format())).build();
    }

    /** Writes the format if nobody has since it was read; a version of 0 means that there was none. */
    TxnRequest writeFormat(long seenModRevision, ByteString value) {
        return TxnRequest.newBuilder()
                .addCompare(Compare.newBuilder()
                        .setKey(layout.format())
                        .setTarget(Compare.CompareTarget.MOD)
                        .setResult(Compare.CompareResult.EQUAL)
                        .setModRevision(seenModRevision))
                .addSuccess(put(layout.format(), value, 0))
                .addFailure(get(layout.format()))
                .build();
    }

    /**
     * Enters the lines of a claim, unless it stands there already, was withdrawn, or the offset is another one. What is
     * answered then is the format, the tombstone and the lines.
     *
     * @param newestOther a claim that does not queue enters only if nobody is in line who came after this revision; 0 for
     *     an empty line; {@link #EVERY_REVISION} to enter anyway and read the lines
     */
    private TxnRequest enter(Claim claim, KeyIds.Id id, Format format, long lease, long newestOther) {
        TxnRequest.Builder transaction = TxnRequest.newBuilder()
                .addCompare(Compare.newBuilder()
                        .setKey(layout.format())
                        .setTarget(Compare.CompareTarget.VALUE)
                        .setResult(Compare.CompareResult.EQUAL)
                        .setValue(format.write()))
                .addCompare(made(layout.gone(claim.owner()), 0))
                .addFailure(get(layout.format()))
                .addFailure(get(layout.gone(claim.owner())));
        for (Claim.Part part : claim.parts()) {
            ByteString key = layout.lock(part.name(), id);
            transaction.addCompare(made(key, 0));
            transaction.addSuccess(put(key, Ticket.write(claim, part, format.offset()), lease));
            transaction.addFailure(line(part.name(), false));
            if (newestOther != EVERY_REVISION) {
                transaction.addCompare(
                        notNewer(layout.line(part.name()), newestOther).setRangeEnd(layout.lineEnd(part.name())));
            }
        }
        if (newestOther == EVERY_REVISION) {
            claim.parts().forEach(part -> transaction.addSuccess(line(part.name(), false)));
        }
        return transaction.build();
    }

    /** Enters in any case and reads the lines. */
    TxnRequest queue(Claim claim, KeyIds.Id id, Format format, long lease) {
        return enter(claim, id, format, lease, EVERY_REVISION);
    }

    /** Enters only if nobody came after a revision. */
    TxnRequest enterBehind(Claim claim, KeyIds.Id id, Format format, long lease, long newestOther) {
        return enter(claim, id, format, lease, newestOther);
    }

    /** Reads lines; a member alone may answer if it need not be newer than what is known of it. */
    TxnRequest readLines(List<String> names, boolean memberAlone) {
        TxnRequest.Builder transaction = TxnRequest.newBuilder();
        names.forEach(name -> transaction.addSuccess(line(name, memberAlone)));
        return transaction.build();
    }

    /**
     * Deletes what there may be of a claim, and leaves a tombstone if there is a lease for it.
     *
     * @param keys of the claim
     * @param newest keys that were made after this revision stay: a request that arrives late must not delete what the claim,
     *     or the next one with these keys, has made since. {@link #EVERY_REVISION} for keys that are never made again
     */
    TxnRequest leave(List<ByteString> keys, OwnerId owner, long newest, long tombstoneLease) {
        TxnRequest.Builder transaction = TxnRequest.newBuilder();
        for (ByteString key : keys) {
            transaction.addSuccess(
                    newest == EVERY_REVISION
                            ? delete(key)
                            : nested(TxnRequest.newBuilder()
                                    .addCompare(notNewer(key, newest))
                                    .addSuccess(delete(key))
                                    .build()));
        }
        if (tombstoneLease != 0) {
            transaction.addSuccess(put(layout.gone(owner), ByteString.EMPTY, tombstoneLease));
        }
        return transaction.build();
    }

    /** Deletes a key if it is the one that a transaction made. */
    static TxnRequest release(Made made) {
        return TxnRequest.newBuilder()
                .addCompare(made(made.key(), made.revision()))
                .addSuccess(delete(made.key()))
                .build();
    }

    /**
     * Deletes several keys, each as {@link #release} does; at most {@link #GROUP}. Leaves a tombstone for each owner of whom
     * a request may still arrive.
     */
    TxnRequest releaseEach(List<Made> keys, Set<OwnerId> mayStillArrive, long tombstoneLease) {
        TxnRequest.Builder transaction = TxnRequest.newBuilder();
        keys.forEach(key -> transaction.addSuccess(nested(release(key))));
        mayStillArrive.forEach(
                owner -> transaction.addSuccess(put(layout.gone(owner), ByteString.EMPTY, tombstoneLease)));
        return transaction.build();
    }

    /** Checks that keys are those that transactions made: group by group, and if one of a group is not, which are there. */
    static TxnRequest check(List<List<Made>> groups) {
        TxnRequest.Builder transaction = TxnRequest.newBuilder();
        for (List<Made> group : groups) {
            TxnRequest.Builder nested = TxnRequest.newBuilder();
            for (Made key : group) {
                nested.addCompare(made(key.key(), key.revision()));
                nested.addSuccess(lineLength(key.key()));
                nested.addFailure(RequestOp.newBuilder()
                        .setRequestRange(
                                RangeRequest.newBuilder().setKey(key.key()).setKeysOnly(true)));
            }
            transaction.addSuccess(nested(nested.build()));
        }
        return transaction.build();
    }

    /** Deletes keys if all are those that transactions made, and writes down why. */
    TxnRequest evict(String name, List<Made> keys, ByteString why, long lease) {
        TxnRequest.Builder transaction = TxnRequest.newBuilder();
        for (Made key : keys) {
            transaction.addCompare(made(key.key(), key.revision()));
            transaction.addSuccess(delete(key.key()));
        }
        return transaction.addSuccess(put(layout.evicted(name), why, lease)).build();
    }

    /** Reads the line of a name and its last eviction. */
    TxnRequest look(String name) {
        return TxnRequest.newBuilder()
                .addSuccess(line(name, false))
                .addSuccess(get(layout.evicted(name)))
                .build();
    }

    /** Reads some keys, in their order. */
    static TxnRequest page(ByteString from, ByteString to, int limit) {
        return TxnRequest.newBuilder()
                .addSuccess(RequestOp.newBuilder()
                        .setRequestRange(RangeRequest.newBuilder()
                                .setKey(from)
                                .setRangeEnd(to)
                                .setLimit(limit)))
                .build();
    }

    private RequestOp line(String name, boolean memberAlone) {
        return RequestOp.newBuilder()
                .setRequestRange(RangeRequest.newBuilder()
                        .setKey(layout.line(name))
                        .setRangeEnd(layout.lineEnd(name))
                        .setSerializable(memberAlone))
                .build();
    }

    /** Counts the claims in the line that a key stands in. */
    private static RequestOp lineLength(ByteString key) {
        ByteString line = key.substring(0, key.size() - Layout.ID_DIGITS);
        return RequestOp.newBuilder()
                .setRequestRange(RangeRequest.newBuilder()
                        .setKey(line)
                        .setRangeEnd(Layout.behind(line))
                        .setCountOnly(true))
                .build();
    }

    private static Compare made(ByteString key, long revision) {
        return Compare.newBuilder()
                .setKey(key)
                .setTarget(Compare.CompareTarget.CREATE)
                .setResult(Compare.CompareResult.EQUAL)
                .setCreateRevision(revision)
                .build();
    }

    /** True also for a key that is not there. */
    private static Compare.Builder notNewer(ByteString key, long revision) {
        return Compare.newBuilder()
                .setKey(key)
                .setTarget(Compare.CompareTarget.CREATE)
                .setResult(Compare.CompareResult.LESS)
                .setCreateRevision(revision + 1);
    }

    private static RequestOp get(ByteString key) {
        return RequestOp.newBuilder()
                .setRequestRange(RangeRequest.newBuilder().setKey(key))
                .build();
    }

    private static RequestOp put(ByteString key, ByteString value, long lease) {
        return RequestOp.newBuilder()
                .setRequestPut(
                        PutRequest.newBuilder().setKey(key).setValue(value).setLease(lease))
                .build();
    }

    private static RequestOp delete(ByteString key) {
        return RequestOp.newBuilder()
                .setRequestDeleteRange(DeleteRangeRequest.newBuilder().setKey(key))
                .build();
    }

    private static RequestOp nested(TxnRequest transaction) {
        return RequestOp.newBuilder().setRequestTxn(transaction).build();
    }
}
