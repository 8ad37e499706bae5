package dev.holdfast.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ServerClockTest {
    private final AtomicLong local = new AtomicLong(1_000);
    private final ServerClock server = new ServerClock(local::get);

    @Test
    void nothingIsConcludedBeforeTheFirstAnswer() {
        assertThat(server.notLaterThan(5)).isEqualTo(StoreListener.UNKNOWN_ANCHOR);
    }

    @Test
    void aPushCountsFromTheSendingOfTheLastAnsweredRequestLessTheDriftSinceThen() {
        server.answered(100, 9_000);
        assertThat(server.notLaterThan(9_200)).isEqualTo(100 + 200 - 2);
        assertThat(server.notLaterThan(8_950)).isEqualTo(100 - 50);
    }

    /**
     * A bound in the future shows that the two clocks did not run alike: the server's was set forward, or ours stood
     * still. Nothing follows from it, least of all that the push was sent just now.
     */
    @Test
    void nothingIsConcludedFromABoundInTheFuture() {
        server.answered(100, 9_000);
        assertThat(server.notLaterThan(9_000 + 50_000)).isEqualTo(StoreListener.UNKNOWN_ANCHOR);
    }

    @Test
    void aBoundThatIsJustNowIsPossible() {
        server.answered(1_000, 9_000);
        assertThat(server.notLaterThan(9_000)).isEqualTo(1_000);
    }

    @Test
    void anAnswerToAnOlderRequestDoesNotReplaceANewerOne() {
        server.answered(500, 9_500);
        server.answered(100, 9_000);
        assertThat(server.notLaterThan(9_600)).isEqualTo(500 + 100 - 1);
    }

    @Test
    void anAnswerFromLongAgoIsNotTrusted() {
        local.set(Long.MAX_VALUE / 2);
        server.answered(100, 9_000);
        assertThat(server.notLaterThan(9_000 + 601_000_000_000L)).isEqualTo(StoreListener.UNKNOWN_ANCHOR);
    }
}
