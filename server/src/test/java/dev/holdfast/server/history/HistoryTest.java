package dev.holdfast.server.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.LockKind;
import dev.holdfast.LockView;
import dev.holdfast.server.history.Holding.Ending;
import dev.holdfast.spi.Grant;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What is remembered, for how long, and which of two accounts of one end counts. */
class HistoryTest {
    private static final int MOST = 250;
    private long now = TimeUnit.HOURS.toNanos(-1);
    private final History history = new History(() -> now, MOST);

    private void pass(Duration time) {
        now += time.toNanos();
    }

    private static LockView view(long token, int waiters) {
        return new LockView(
                "a",
                LockKind.EXCLUSIVE,
                1,
                List.of(new LockView.Holder("java", "note", 1, token, Duration.ofSeconds(7), Optional.empty())),
                IntStream.range(0, waiters)
                        .mapToObj(i -> new LockView.Waiter("w", "", 1, Duration.ZERO))
                        .toList(),
                Optional.empty());
    }

    private Ending endOf(long token) {
        return history.of("a").holdings().stream()
                .filter(each -> each.token() == token)
                .findFirst()
                .orElseThrow()
                .ending();
    }

    @Test
    void aGrantIsRememberedFromItsBeginToSomeMinutesAfterItsEnd() {
        history.granted("a", 1, "http@x", "note");
        pass(Duration.ofHours(2));
        assertThat(history.of("a").holdings()).hasSize(1);
        history.ended("a", 1, Ending.released());
        pass(History.REMEMBERED.minusSeconds(1));
        history.tidy();
        assertThat(history.of("a").holdings()).singleElement().satisfies(each -> {
            assertThat(each.toNanos() - each.fromNanos())
                    .isEqualTo(Duration.ofHours(2).toNanos());
            assertThat(each.ending()).isEqualTo(Ending.released());
        });
        pass(Duration.ofSeconds(2));
        history.tidy();
        assertThat(history.of("a").holdings()).isEmpty();
        assertThat(now - history.of("a").sinceNanos()).isEqualTo(History.REMEMBERED.toNanos());
    }

    @Test
    void whatIsKnownCountsMoreThanWhatWasConcluded() {
        history.granted("a", 1, "c", "");
        history.ended("a", 1, Ending.unseen());
        assertThat(endOf(1)).isEqualTo(Ending.unseen());
        history.ended("a", 1, Ending.gone());
        history.ended("a", 1, Ending.expired());
        assertThat(endOf(1)).isEqualTo(Ending.gone());
        history.ended("a", 1, Ending.released());
        history.ended("a", 1, Ending.expired());
        assertThat(endOf(1)).isEqualTo(Ending.released());
        assertThat(history.lossCount()).isZero();
        // A look that was under way meanwhile shows it as held.
        history.saw(view(1, 0), now, name -> name);
        assertThat(endOf(1)).isEqualTo(Ending.released());
        assertThat(history.exactEnding("a", 1)).contains(Ending.released());
    }

    @Test
    void looksTellOfOthersAndOfWhatIsMissing() {
        history.saw(view(1, 3), now, name -> name);
        assertThat(history.of("a").waiting())
                .extracting(History.Waiting::waiters)
                .containsExactly(3);
        assertThat(now - history.of("a").holdings().get(0).fromNanos()).isEqualTo(TimeUnit.SECONDS.toNanos(7));
        pass(Duration.ofSeconds(1));
        long asked = now;
        pass(Duration.ofMillis(1));
        history.granted("a", 2, "c", ""); // after the store was asked
        history.endMissing((name, token) -> false, asked);
        history.nobodyWaits("a", now);
        assertThat(endOf(1)).isEqualTo(Ending.unseen());
        assertThat(endOf(2)).isNull();
        assertThat(history.of("a").waiting())
                .extracting(History.Waiting::waiters)
                .containsExactly(3, 0);
    }

    @Test
    void anEvictionDoesNotMeanWhoeverCameAfterIt() {
        long first = Grant.token(1, 0);
        long second = Grant.token(2, 0);
        history.granted("a", first, "c", "");
        pass(Duration.ofMillis(1));
        long asked = now;
        pass(Duration.ofMillis(1));
        history.granted("a", second, "d", "");
        history.evicted("a", OptionalLong.of(3), asked, Ending.evicted("ops", "hangs"));
        assertThat(history.lossCount()).isZero();
        history.evicted("a", OptionalLong.empty(), asked, Ending.evicted("ops", "hangs"));
        assertThat(endOf(first)).isEqualTo(Ending.evicted("ops", "hangs"));
        assertThat(endOf(second)).isNull();
        assertThat(history.losses(0, 1)).extracting(Holding::token).containsExactly(first);
        assertThat(history.losses(1, 2)).isEmpty();
    }

    @Test
    void oneBusyNameDoesNotPushOutTheOthersAndItSaysWhatIsMissing() {
        history.granted("quiet", 1, "c", "");
        history.ended("quiet", 1, Ending.released());
        long begin = history.of("quiet").sinceNanos();
        for (int token = 1; token <= 1_000; token++) {
            pass(Duration.ofMillis(10));
            history.granted("a", token, "c", "");
            history.ended("a", token, Ending.released());
        }
        assertThat(history.of("a").holdings()).hasSize(100).first().satisfies(oldest -> {
            assertThat(oldest.token()).isEqualTo(901);
            assertThat(oldest.fromNanos()).isGreaterThan(history.of("a").sinceNanos());
        });
        assertThat(history.of("quiet").holdings()).hasSize(1);
        assertThat(history.of("quiet").sinceNanos()).isEqualTo(begin);
    }

    @Test
    void manyNamesPushOutTheOldestAndTheHistoryBeginsLater() {
        long begin = history.of("n0").sinceNanos();
        for (int i = 0; i < 2 * MOST; i++) {
            pass(Duration.ofMillis(1));
            history.granted("n" + i, i, "c", "");
            history.ended("n" + i, i, Ending.lost("expired"));
        }
        assertThat(history.of("n0").holdings()).isEmpty();
        assertThat(history.of("n0").sinceNanos()).isGreaterThan(begin);
        assertThat(history.of("n" + (2 * MOST - 1)).holdings()).hasSize(1);
        assertThat(history.lossCount()).isEqualTo(2 * MOST);
        assertThat(history.losses(0, Long.MAX_VALUE)).hasSize(500);
        assertThat(history.losses(499, 500)).extracting(Holding::token).containsExactly(499L);
    }
}
