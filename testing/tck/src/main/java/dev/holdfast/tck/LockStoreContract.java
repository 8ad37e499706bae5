package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What a program sees of Holdfast on any store: the whole API, with the engine on the real store. A store's author
 * extends this class and says where the store is:
 *
 * <pre>{@code
 * final class MyLockTest extends LockStoreContract {
 *     @Override
 *     public String url() {
 *         return "my://localhost:1234";
 *     }
 * }
 * }</pre>
 *
 * <p>Tests of a promise that the store does not make in its traits are reported as assumptions that do not hold. For a
 * store that works between processes, real processes are started, killed and paused. After each test, nothing of it may
 * be left in the store, and no thread of a client. For that reason the tests run one after another, and no other
 * client is opened or closed in the same process meanwhile. The class keeps no state between tests.
 */
@ExtendWith(PromiseReport.class)
public abstract class LockStoreContract implements StoreUnderTest {
    private @Nullable Fixture fixture;

    /** Made by JUnit, once per test. */
    protected LockStoreContract() {}

    @AfterAll
    static void noThreadIsLeftBehind() {
        await().untilAsserted(() -> assertThat(Threads.leaving())
                .as("threads left behind by clients of the last test")
                .isEmpty());
    }

    @AfterEach
    void nothingIsLeftBehind() {
        fixture().close();
    }

    private Fixture fixture() {
        Fixture known = fixture;
        if (known == null) {
            known = new Fixture(this);
            fixture = known;
        }
        return known;
    }

    @Nested
    final class Exclusion extends ExclusionCases {
        Exclusion() {
            super(fixture());
        }
    }

    @Nested
    final class Waiting extends WaitingCases {
        Waiting() {
            super(fixture());
        }
    }

    @Nested
    final class Async extends AsyncCases {
        Async() {
            super(fixture());
        }
    }

    @Nested
    final class StoreFailures extends StoreFailureCases {
        StoreFailures() {
            super(fixture());
        }
    }

    @Nested
    final class Lateness extends LatenessCases {
        Lateness() {
            super(fixture());
        }
    }

    @Nested
    final class Leases extends LeaseCases {
        Leases() {
            super(fixture());
        }
    }

    @Nested
    final class Losses extends LossCases {
        Losses() {
            super(fixture());
        }
    }

    @Nested
    final class JavaLock extends JavaLockCases {
        JavaLock() {
            super(fixture());
        }
    }

    @Nested
    final class SeveralNames extends SeveralNamesCases {
        SeveralNames() {
            super(fixture());
        }
    }

    @Nested
    final class ReadWrite extends ReadWriteCases {
        ReadWrite() {
            super(fixture());
        }
    }

    @Nested
    final class Semaphore extends SemaphoreCases {
        Semaphore() {
            super(fixture());
        }
    }

    @Nested
    final class HandOff extends HandOffCases {
        HandOff() {
            super(fixture());
        }
    }

    @Nested
    final class Fencing extends FenceCases {
        Fencing() {
            super(fixture());
        }
    }

    @Nested
    final class Elections extends ElectionCases {
        Elections() {
            super(fixture());
        }
    }

    @Nested
    final class Looking extends LookingCases {
        Looking() {
            super(fixture());
        }
    }

    @Nested
    final class BadInput extends BadInputCases {
        BadInput() {
            super(fixture());
        }
    }

    @Nested
    final class Closing extends ClosingCases {
        Closing() {
            super(fixture());
        }
    }

    @Nested
    final class BetweenProcesses extends ProcessCases {
        BetweenProcesses() {
            super(fixture());
        }
    }
}
