package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What a program sees while its store cannot be reached, and afterwards. The clients of this suite are warm: they hold
 * many leases, keep some for later, and have waiters in line, when everything breaks at once. A store's author extends
 * this class, says where the store is, and gives a way to break it:
 *
 * <pre>{@code
 * final class MyOutageTest extends OutageContract {
 *     @Override
 *     public String url() {
 *         return "my://localhost:1234";
 *     }
 *
 *     @Override
 *     public Outages outages() {
 *         return proxyInFrontOfMyServer;
 *     }
 * }
 * }</pre>
 *
 * <p>Tests of a fault that the store cannot have are reported as assumptions that do not hold. As in
 * {@link LockStoreContract}, nothing may be left behind after a test, and the tests run one after another.
 */
@ExtendWith(PromiseReport.class)
public abstract class OutageContract implements StoreUnderTest {
    private @Nullable OutageFixture fixture;

    /** Made by JUnit, once per test. */
    protected OutageContract() {}

    /**
     * Gives the way to break things. Called once per test; every test leaves it mended.
     *
     * @return the outages
     */
    public abstract Outages outages();

    /**
     * Chooses the command timeout of the clients that live through outages. Shorter is faster. A call that takes twice
     * as long has failed, so it has to be long for the machine that the tests run on.
     *
     * @return the timeout, 500 ms if not overridden
     */
    public Duration commandTimeout() {
        return Duration.ofMillis(500);
    }

    /**
     * Bounds the time within which clients work again after an outage. Where the store has sessions, their timeout is
     * added.
     *
     * @return the bound, 5 seconds if not overridden
     */
    public Duration recoveryTime() {
        return Duration.ofSeconds(5);
    }

    /**
     * Bounds how long the suite waits for something that must happen in the end. It is shorter than the leases, so that
     * nothing passes because a lease ran out.
     *
     * @return the bound, 15 seconds if not overridden
     */
    @Override
    public Duration patience() {
        return Duration.ofSeconds(15);
    }

    @AfterAll
    static void noThreadIsLeftBehind() {
        await().untilAsserted(() -> assertThat(Threads.leaving())
                .as("threads left behind by clients of the last test")
                .isEmpty());
    }

    @AfterEach
    void everythingIsMendedAndNothingIsLeftBehind() throws Exception {
        fixture().close();
    }

    private OutageFixture fixture() {
        OutageFixture known = fixture;
        if (known == null) {
            known = new OutageFixture(this);
            fixture = known;
        }
        return known;
    }

    @Nested
    final class Answers extends AnswerCases {
        Answers() {
            super(fixture());
        }
    }

    @Nested
    final class CallsInAnOutage extends OutageCallCases {
        CallsInAnOutage() {
            super(fixture());
        }
    }

    @Nested
    final class BehindTheScenes extends BackgroundCases {
        BehindTheScenes() {
            super(fixture());
        }
    }

    @Nested
    final class FreeAfterClose extends FreeAfterCloseCases {
        FreeAfterClose() {
            super(fixture());
        }
    }

    @Nested
    final class Recovery extends RecoveryCases {
        Recovery() {
            super(fixture());
        }
    }

    @Nested
    final class NothingLeft extends NothingLeftCases {
        NothingLeft() {
            super(fixture());
        }
    }

    @Nested
    final class Overtaking extends OvertakingCases {
        Overtaking() {
            super(fixture());
        }
    }

    @Nested
    final class OneAfterAnother extends OneAfterAnotherCases {
        OneAfterAnother() {
            super(fixture());
        }
    }
}
