package dev.holdfast.jdbc.dialect;

import static org.awaitility.Awaitility.await;

import dev.holdfast.jdbc.TestContext;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** When clients purge. */
final class PurgeTurnsTest {
    @Test
    void turnThatFailsIsNotTheLastOne() {
        AtomicInteger turns = new AtomicInteger();
        try (TestContext context = new TestContext()) {
            PurgeTurns purges = new PurgeTurns(context.hurried(), () -> {
                turns.incrementAndGet();
                throw new IllegalStateException("of a pool");
            });
            purges.begin();

            await().dontCatchUncaughtExceptions().until(() -> turns.get() > 1);
            purges.close();
        }
    }
}
