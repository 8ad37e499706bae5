package dev.holdfast.test;

import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LossReason;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The examples of the Javadoc; {@link ExamplesInJavadocTest} compares. Uses nothing but JUnit, so it runs on JUnit 5, too. */
class JavadocExamplesTest {
    @Test
    void testLocks() throws InterruptedException {
        try (TestLocks locks = TestLocks.open()) {
            Lease lease = locks.client().lock("orders/42").acquire();
            locks.storeIsSilent();
            locks.timePasses(Duration.ofSeconds(31));
            assert !lease.isHeld();
            locks.events().assertLost("orders/42", LossReason.EXPIRED);
        }
    }

    @ExtendWith(HoldfastExtension.class)
    static class OrdersTest {
        @Test
        void stopsWhenItsLockIsLost(TestLocks locks, Holdfast client) throws InterruptedException {
            Lease lease = client.lock("orders/42").acquire();
            locks.lose("orders/42");
            assertFalse(lease.isHeld());
        }
    }
}
