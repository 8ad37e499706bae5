package dev.holdfast.redis.lock;

import static dev.holdfast.redis.wire.RecordField.CAPACITY;
import static dev.holdfast.redis.wire.RecordField.EPOCH;
import static dev.holdfast.redis.wire.RecordField.EXPIRY;
import static dev.holdfast.redis.wire.RecordField.HEAD_EPOCH;
import static dev.holdfast.redis.wire.RecordField.HEAD_EXPIRY;
import static dev.holdfast.redis.wire.RecordField.HEAD_FLAGS;
import static dev.holdfast.redis.wire.RecordField.HEAD_FORMAT;
import static dev.holdfast.redis.wire.RecordField.HEAD_OWNER;
import static dev.holdfast.redis.wire.RecordField.KIND;
import static dev.holdfast.redis.wire.RecordField.SINCE;
import static dev.holdfast.redis.wire.RecordField.SUMMARY_CAPACITY;
import static dev.holdfast.redis.wire.RecordField.SUMMARY_KIND;
import static dev.holdfast.redis.wire.RecordField.SUMMARY_USED;
import static dev.holdfast.redis.wire.RecordField.TEXT;
import static dev.holdfast.redis.wire.RecordField.UNITS;

import dev.holdfast.LockKind;
import dev.holdfast.LockView;
import dev.holdfast.redis.wire.Answers;
import dev.holdfast.redis.wire.Records;
import dev.holdfast.redis.wire.ScriptNumbers;
import dev.holdfast.redis.wire.Stamp;
import dev.holdfast.spi.Grant;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads what {@code inspect.lua} answers. */
final class Views {
    private static final int MICROS_PER_MILLI = 1_000;
    private static final int SHARED = 4;
    private static final int LABEL_LINE = 2;
    private static final int LINES = 4;

    private final String name;
    private final long now;
    private final long generation;
    private final List<LockView.Holder> holders = new ArrayList<>();
    private final List<LockView.Waiter> waiters = new ArrayList<>();
    private LockKind kind = LockKind.EXCLUSIVE;
    private int capacity = 1;

    private Views(String name, long now, long generation) {
        this.name = name;
        this.now = now;
        this.generation = Math.min(generation, Stamp.LARGEST_GENERATION);
    }

    /** {@return the view of a name; empty if there is nothing to tell} */
    static Optional<LockView> read(String name, @Nullable Object answer, long generation) {
        List<?> fields = Answers.list(answer);
        Views view = new Views(name, Answers.number(fields.get(0)), generation);
        if (fields.get(1) instanceof byte[] head) {
            view.readHead(head);
        }
        view.readShared(Answers.list(fields.get(2)));
        view.readLine(Answers.list(fields.get(3)));
        Optional<LockView.Eviction> eviction = view.eviction(Answers.list(fields.get(4)));
        if (view.holders.isEmpty() && view.waiters.isEmpty() && eviction.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new LockView(name, view.kind, view.capacity, view.holders, view.waiters, eviction));
    }

    private void readHead(byte[] head) {
        if (head[HEAD_FORMAT.at()] != '1') {
            throw Answers.unreadable(name, new String(head, HEAD_FORMAT.at(), 1, StandardCharsets.UTF_8));
        }
        ByteBuffer in = ByteBuffer.wrap(head);
        boolean shared = head[HEAD_FLAGS.at()] - '0' >= SHARED;
        if (shared || head.length == SUMMARY_USED.end()) {
            kind = Records.kind(head[SUMMARY_KIND.at()]);
            capacity = in.getInt(SUMMARY_CAPACITY.at());
        } else if (head.length > HEAD_OWNER.at()) {
            ByteBuffer record = in.slice(HEAD_OWNER.at(), head.length - HEAD_OWNER.at());
            kind = Records.kind(record.get(KIND.at()));
            capacity = record.getInt(CAPACITY.at());
            addHolder(record, in.getLong(HEAD_EXPIRY.at()), in.getLong(HEAD_EPOCH.at()));
        }
    }

    private void readShared(List<?> ownersAndRecords) {
        for (int i = 1; i < ownersAndRecords.size(); i += 2) {
            ByteBuffer record = ByteBuffer.wrap(Answers.bytes(ownersAndRecords.get(i)));
            addHolder(record, record.getLong(EXPIRY.at()), record.getLong(EPOCH.at()));
        }
        holders.sort(Comparator.comparingLong(LockView.Holder::token));
    }

    private void readLine(List<?> ownersAndRecords) {
        for (int i = 1; i < ownersAndRecords.size(); i += 2) {
            byte[] bytes = Answers.bytes(ownersAndRecords.get(i));
            ByteBuffer record = ByteBuffer.wrap(bytes);
            if (bytes.length > TEXT.at() && record.getLong(EXPIRY.at()) > now) {
                String[] lines = lines(record);
                waiters.add(new LockView.Waiter(
                        lines[1], lines[LABEL_LINE], record.getInt(UNITS.at()), since(record.getLong(SINCE.at()))));
            }
        }
    }

    private void addHolder(ByteBuffer record, long expiry, long epoch) {
        if (expiry > now) {
            String[] lines = lines(record);
            holders.add(new LockView.Holder(
                    lines[1],
                    lines[LABEL_LINE],
                    record.getInt(UNITS.at()),
                    Grant.token(epoch, 0),
                    since(grantedMillis(epoch)),
                    Optional.of(Duration.ofMillis(Math.max(0, expiry - now - 1)))));
        }
    }

    /**
     * The epoch is the time of the grant, as long as the server's clock does not go back, put forward by the generation. A
     * grant that has lived through a promotion seems to be older, by a step for each.
     */
    private long grantedMillis(long epoch) {
        return (epoch - generation * Stamp.STEP_MICROS) / MICROS_PER_MILLI + ScriptNumbers.ORIGIN_MILLIS;
    }

    private Optional<LockView.Eviction> eviction(List<?> fields) {
        if (fields.size() < 3 || fields.get(0) == null || fields.get(1) == null || fields.get(2) == null) {
            return Optional.empty();
        }
        return Optional.of(new LockView.Eviction(
                Answers.text(fields.get(0)),
                Answers.text(fields.get(1)),
                since(Long.parseLong(Answers.text(fields.get(2))))));
    }

    private Duration since(long millis) {
        return Duration.ofMillis(Math.max(0, now - millis));
    }

    /** The channel, the client, the label, and the keys if there are several. */
    private static String[] lines(ByteBuffer record) {
        byte[] text = new byte[record.limit() - TEXT.at()];
        record.get(TEXT.at(), text);
        return new String(text, StandardCharsets.UTF_8).split("\n", LINES);
    }
}
