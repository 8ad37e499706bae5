package dev.holdfast.tck;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What every store does in its single steps, without the engine above it. A store's author extends this class and says
 * where the store is:
 *
 * <pre>{@code
 * final class MyStoreTest extends StoreContract {
 *     @Override
 *     public String url() {
 *         return "my://localhost:1234";
 *     }
 * }
 * }</pre>
 *
 * <p>Tests of a promise that the store does not make in its traits are reported as assumptions that do not hold. After
 * each test, nothing of it may be left in the store. The tests run one after another on one thread; the class keeps no
 * state between them.
 */
@ExtendWith(PromiseReport.class)
public abstract class StoreContract implements StoreUnderTest {
    private @Nullable StoreFixture fixture;

    /** Made by JUnit, once per test. */
    protected StoreContract() {}

    @AfterEach
    void nothingIsLeftBehind() {
        fixture().close();
    }

    private StoreFixture fixture() {
        StoreFixture known = fixture;
        if (known == null) {
            known = new StoreFixture(this);
            fixture = known;
        }
        return known;
    }

    @Nested
    final class Ownership extends OwnershipCases {
        Ownership() {
            super(fixture());
        }
    }

    @Nested
    final class Claims extends ClaimCases {
        Claims() {
            super(fixture());
        }
    }

    @Nested
    final class Epochs extends EpochCases {
        Epochs() {
            super(fixture());
        }
    }

    @Nested
    final class Units extends UnitsCases {
        Units() {
            super(fixture());
        }
    }

    @Nested
    final class Readers extends ReaderCases {
        Readers() {
            super(fixture());
        }
    }

    @Nested
    final class SeveralNames extends NamesCases {
        SeveralNames() {
            super(fixture());
        }
    }

    @Nested
    final class Notices extends NoticeCases {
        Notices() {
            super(fixture());
        }
    }
}
