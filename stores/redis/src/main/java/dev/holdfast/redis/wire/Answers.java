package dev.holdfast.redis.wire;

import dev.holdfast.LockKind;
import dev.holdfast.LossReason;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.RenewOutcome;
import dev.holdfast.spi.ServerClock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads what the scripts answer; their files say what that is. */
public final class Answers {
    private static final int CONTENDED = 0;
    private static final int GRANTED = 1;
    private static final int MISMATCH = 2;
    private static final int EVICTED = 3;
    private static final int RENEWED_AND_WANTED = 2;
    private static final int FIRST_EPOCH = 3;

    private Answers() {}

    /** Reads the answer to a claim, or to one part of it; learns the server's time from it. */
    public static AcquireOutcome acquired(Claim claim, List<Claim.Part> parts, Call call, long sentNanos) {
        Object answer = call.answer();
        if (answer instanceof Long epoch) {
            Claim.Part only = parts.get(0);
            return new AcquireOutcome.Granted(
                    List.of(new Grant(only.name(), claim.owner(), epoch, claim.lease(), claim.lease(), null, false)));
        }
        List<?> fields = list(answer);
        switch ((int) number(fields.get(0))) {
            case CONTENDED -> {
                told(call.clock(), sentNanos, number(fields.get(1)));
                return new AcquireOutcome.Contended(Duration.ofMillis(number(fields.get(2))));
            }
            case GRANTED -> {
                told(call.clock(), sentNanos, number(fields.get(1)));
                return granted(claim, parts, fields);
            }
            case MISMATCH -> {
                return mismatch(parts.get((int) number(fields.get(1)) - 1), fields);
            }
            default ->
                throw unreadable(parts.get((int) number(fields.get(1)) - 1).name(), text(fields.get(2)));
        }
    }

    /** Reads the answer to a renewal: one outcome per grant. */
    public static List<RenewOutcome> renewed(List<Grant> grants, Call call, long sentNanos) {
        List<?> fields = list(call.answer());
        long now = number(fields.get(0));
        if (now > 0) {
            told(call.clock(), sentNanos, now);
        }
        List<RenewOutcome> outcomes = new ArrayList<>(grants.size());
        for (int i = 0; i < grants.size(); i++) {
            int code = (int) number(fields.get(i + 1));
            outcomes.add(
                    code == GRANTED || code == RENEWED_AND_WANTED
                            ? new RenewOutcome.Renewed(grants.get(i).lease(), code == RENEWED_AND_WANTED)
                            : new RenewOutcome.Lost(code == EVICTED ? LossReason.EVICTED : LossReason.EXPIRED));
        }
        return outcomes;
    }

    /** Reads the answer to a release: one outcome per grant. */
    public static List<ReleaseOutcome> released(List<Grant> grants, Call call) {
        if (call.answer() instanceof Long) {
            return List.of(ReleaseOutcome.RELEASED);
        }
        List<?> fields = list(call.answer());
        List<ReleaseOutcome> outcomes = new ArrayList<>(grants.size());
        for (int i = 0; i < grants.size(); i++) {
            if (number(fields.get(i)) == GRANTED) {
                outcomes.add(ReleaseOutcome.RELEASED);
            } else if (call.isRepeated()) {
                // The first request may have released it, so "not held" does not say that it was lost before.
                outcomes.add(new ReleaseOutcome.Unknown(
                        new StoreUnavailableException("release", grants.get(i).name(), null)));
            } else {
                outcomes.add(ReleaseOutcome.NOT_HELD);
            }
        }
        return outcomes;
    }

    /** {@return the part of a release whose line was not served to its end; -1 if there is none} */
    public static int unserved(int parts, @Nullable Object answer) {
        return answer instanceof List<?> fields && fields.size() > parts ? (int) number(fields.get(parts)) - 1 : -1;
    }

    /** Refuses the answer that a script gives when it cannot read a name. */
    public static void checkReadable(String name, @Nullable Object answer) {
        if (answer instanceof List<?> fields) {
            throw unreadable(name, text(fields.get(2)));
        }
    }

    public static StoreMisconfiguredException unreadable(String name, String format) {
        return new StoreMisconfiguredException(
                format.equals("1")
                        ? "the epochs of '" + name + "' are used up; use another name"
                        : "'" + name + "' was written in format '" + format
                                + "' by a newer release of Holdfast; use that release here too");
    }

    /** The clock has a grain of a millisecond; the later end of it is on the safe side. */
    static void told(ServerClock clock, long sentNanos, long serverMillis) {
        clock.answered(sentNanos, Duration.ofMillis(serverMillis + 1).toNanos());
    }

    private static AcquireOutcome granted(Claim claim, List<Claim.Part> parts, List<?> fields) {
        Duration left = Duration.ofMillis(number(fields.get(2)));
        List<Grant> grants = new ArrayList<>(parts.size());
        for (int i = 0; i < parts.size(); i++) {
            grants.add(new Grant(
                    parts.get(i).name(),
                    claim.owner(),
                    number(fields.get(FIRST_EPOCH + 2 * i)),
                    claim.lease(),
                    left,
                    null,
                    number(fields.get(FIRST_EPOCH + 2 * i + 1)) == 1));
        }
        return new AcquireOutcome.Granted(grants);
    }

    private static AcquireOutcome mismatch(Claim.Part part, List<?> fields) {
        return mismatch(part, Records.kind(bytes(fields.get(2))[0]), number(fields.get(3)));
    }

    /** Tells that a name is in use as something else. */
    public static AcquireOutcome.Mismatch mismatch(Claim.Part part, LockKind kind, long capacity) {
        return new AcquireOutcome.Mismatch("'" + part.name() + "' is in use as " + kind + " of capacity "
                + capacity + ", but was asked for as " + part.kind() + " of capacity " + part.capacity()
                + "; use one kind and capacity for a name, or another name");
    }

    public static List<?> list(@Nullable Object answer) {
        if (answer instanceof List<?> fields) {
            return fields;
        }
        throw new IllegalStateException("a script gave an unexpected answer");
    }

    public static long number(@Nullable Object field) {
        if (field instanceof Long number) {
            return number;
        }
        throw new IllegalStateException("a script gave an unexpected answer");
    }

    public static byte[] bytes(@Nullable Object field) {
        if (field instanceof byte[] bytes) {
            return bytes;
        }
        throw new IllegalStateException("a script gave an unexpected answer");
    }

    public static String text(@Nullable Object field) {
        return new String(bytes(field), StandardCharsets.UTF_8);
    }
}
