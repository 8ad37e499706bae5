package dev.holdfast.redis.lock;

import dev.holdfast.redis.topology.CallRouter;
import dev.holdfast.redis.wire.Call;
import dev.holdfast.redis.wire.Deadline;
import dev.holdfast.redis.wire.Records;
import dev.holdfast.redis.wire.Script;
import dev.holdfast.spi.OwnerId;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Serves a line that is too long for one script, because so many in it are dead or cannot be told: one run looks at a bounded
 * number, so that others are not kept waiting, and the next run goes on. Thread-safe.
 */
final class LongLines {
    private static final int MOST_RUNS = 200;
    private static final long NOT_YET = 2;
    private static final byte[] NO_TOMBSTONE = {'0'};

    private final CallRouter router;

    LongLines(CallRouter router) {
        this.router = router;
    }

    /** Goes on until somebody was served, the line was looked at to its end, or the time of the release is over. */
    void serve(byte[] head, Deadline deadline) {
        for (int run = 0; run < MOST_RUNS && !deadline.isOver(); run++) {
            ThreadLocalRandom random = ThreadLocalRandom.current();
            byte[] nobody = Records.owner(new OwnerId(random.nextLong(), random.nextLong()));
            Call call =
                    router.deployment().stamp(Call.of(Script.WITHDRAW, List.of(head), List.of(nobody, NO_TOMBSTONE)));
            router.deliver(call, null, deadline);
            if (call.failure() != null || !Long.valueOf(NOT_YET).equals(call.answer())) {
                // Should nobody have answered, those who wait ask on their own.
                return;
            }
        }
    }
}
