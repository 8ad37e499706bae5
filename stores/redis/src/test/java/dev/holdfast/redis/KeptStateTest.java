package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.LockView;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.RenewOutcome;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What is in the server: keys, epochs, how long they are kept, and what happens when they are not as expected. */
final class KeptStateTest {
    private static final long DAY_MILLIS = Duration.ofDays(1).toMillis();
    private static final long HOUR_MICROS = Duration.ofHours(1).toMillis() * 1000;
    private static final long ORIGIN_MILLIS = 1_735_689_600_000L;

    @RegisterExtension
    static final Rig rig = new Rig();

    private static RedisNode redis;

    private Holdfast locks;

    @BeforeEach
    void connect() throws InterruptedException {
        if (redis == null) {
            redis = RedisNode.start(rig);
        }
        redis.ask("FLUSHALL");
        locks = Holdfast.connect(redis.url());
    }

    @AfterEach
    void close() {
        locks.close();
    }

    @Test
    void lastEpochIsKeptForADayAfterTheReleaseAndThenExpires() throws InterruptedException {
        locks.lock("idle").acquire().close();

        assertThat(keys()).containsExactly("holdfast:{idle}");
        assertThat(number("PTTL", "holdfast:{idle}")).isBetween(DAY_MILLIS, 4 * DAY_MILLIS);
    }

    @Test
    void lockThatIsHeldForDaysDoesNotExpire() throws InterruptedException {
        LockOptions options = LockOptions.defaults().withLeaseTime(Duration.ofMillis(500));
        Lease one = locks.lock("long", options).acquire();
        List<Lease> two = List.of(
                locks.semaphore("long/s", 2, options).permits(1).acquire(),
                locks.semaphore("long/s", 2, options).permits(1).acquire());
        age("long", DAY_MILLIS / 2);
        age("long/s", DAY_MILLIS / 2);

        await().untilAsserted(() -> assertThat(List.of(
                        number("PTTL", "holdfast:{long}"),
                        number("PTTL", "holdfast:{long/s}"),
                        number("PTTL", "holdfast:{long/s}:h")))
                .allMatch(left -> left > 2 * DAY_MILLIS));
        assertThat(one.isHeld() && two.stream().allMatch(Lease::isHeld)).isTrue();
    }

    /** A key that moves takes along how long it has left, so the clock that is read from it is behind by what the way took. */
    @Test
    void leaseOfAMovedKeyDoesNotEndEarlyWhenItsKeysAreWrittenForAnotherThreeDays() throws InterruptedException {
        LockOptions options = LockOptions.defaults().withLeaseTime(Duration.ofSeconds(20));
        try (BareClient client = new BareClient(redis.url())) {
            Claim held = BareClient.claim(options.leaseTime(), "moved");
            List<Grant> grants = client.take(held);
            age("moved", DAY_MILLIS / 2);
            redis.ask("PEXPIRE", "holdfast:{moved}", Long.toString(DAY_MILLIS / 2 + 30_000));
            assertThat(client.store().renew(grants)).hasOnlyElementsOfType(RenewOutcome.Renewed.class);
            assertThat(number("PTTL", "holdfast:{moved}")).isGreaterThan(2 * DAY_MILLIS);
            CompletableFuture<Lease> waiter = waiter("moved");

            assertThat(client.isGranted(held)).as("it holds it still").isTrue();
            assertThat(waiter).isNotDone();
            assertThat(locks.inspect("moved").orElseThrow().waiters()).hasSize(1);
        }
    }

    @Test
    void clockOfAMovedKeyIsTheServersAgainWhenNobodyUsesIt() throws InterruptedException {
        locks.lock("moved").acquire().close();
        age("moved", DAY_MILLIS / 2);
        redis.ask("PEXPIRE", "holdfast:{moved}", Long.toString(DAY_MILLIS / 2 + 30_000));
        long before = serverMicros();

        assertThat(locks.lock("moved").acquire().token() >> 12).isBetween(before - 1000, serverMicros());
    }

    @Test
    void epochIsTheServersTimeInMicroseconds() throws InterruptedException {
        long before = serverMicros();
        long epoch = locks.lock("time").acquire().token() >> 12;

        assertThat(epoch).isBetween(before - 1000, serverMicros());
    }

    @Test
    void clockThatWasSteppedBackAnHourAfterTheReleaseDoesNotRepeatAToken() throws InterruptedException {
        long ahead = serverMicros() + HOUR_MICROS;
        last("back", ahead);
        Lease first = locks.lock("back").acquire();
        assertThat(first.token() >> 12).isEqualTo(ahead + 1);
        first.close();
        Lease second = locks.lock("back").acquire();
        assertThat(second.token() >> 12).isEqualTo(ahead + 2);
        CompletableFuture<Lease> waiter = waiter("back");
        second.close();
        assertThat(Outcomes.of(waiter).token() >> 12).isEqualTo(ahead + 3);
    }

    @Test
    void largestEpochIsExactAndThereIsNoneBeyondIt() throws InterruptedException {
        long largest = Grant.EPOCH_LIMIT - 1;
        last("largest", largest - 3);
        Lease first = locks.lock("largest").acquire();
        assertThat(first.token() >> 12).isEqualTo(largest - 2);
        CompletableFuture<Lease> waiter = waiter("largest");
        first.close();
        Lease second = Outcomes.of(waiter);
        assertThat(second.token() >> 12).isEqualTo(largest - 1);
        assertThat(locks.inspect("largest").orElseThrow().holders())
                .extracting(LockView.Holder::token)
                .containsExactly(second.token());
        assertThat(second.release()).isTrue();
        Lease last = locks.lock("largest").acquire();
        assertThat(last.token()).isEqualTo(Grant.token(largest, 0)).isPositive();
        assertThat(last.release()).isTrue();

        assertThatThrownBy(() -> locks.lock("largest").tryAcquire())
                .isInstanceOf(StoreMisconfiguredException.class)
                .hasMessageContaining("used up");
    }

    @Test
    void newerFormatIsRefusedClearlyAndLeftAlone() {
        redis.ask("SET", "holdfast:{newer}", "2 from the future");
        for (Runnable step : List.<Runnable>of(
                () -> locks.lock("newer").tryAcquire(),
                () -> locks.all("newer", "other").tryAcquire(),
                () -> locks.inspect("newer"),
                () -> locks.evict("newer", "test"))) {
            assertThatThrownBy(step::run)
                    .isInstanceOf(StoreMisconfiguredException.class)
                    .hasMessageContaining("newer release")
                    .hasMessageContaining("'2'");
        }
        assertThat(redis.ask("GET", "holdfast:{newer}")).isEqualTo("2 from the future");
        assertThat(locks.lock("other").tryAcquire()).isPresent();
    }

    @Test
    void namesCannotChooseTheirSlots() throws InterruptedException {
        String odd = "{a}%7b}x{";
        Lease lease = locks.lock(odd).acquire();

        assertThat(keys()).containsExactly("holdfast:{%7ba%7d%257b%7dx%7b}");
        assertThat(locks.list("{a}%", 10)).extracting(LockView::name).containsExactly(odd);
        assertThat(locks.list("{a}", 10)).hasSize(1);
        assertThat(locks.list("{b", 10)).isEmpty();
        assertThat(lease.release()).isTrue();
    }

    @Test
    void nothingButTheHeadIsLeftWhenNobodyHoldsOrWaits() throws InterruptedException {
        Lease held = locks.lock("tidy").acquire();
        CompletableFuture<Lease> waiter = waiter("tidy");
        held.close();
        Outcomes.of(waiter).close();
        Lease one = locks.semaphore("tidy/s", 2).permits(1).acquire();
        Lease two = locks.semaphore("tidy/s", 2).permits(1).acquire();
        assertThat(one.release() && two.release()).isTrue();

        await().untilAsserted(
                        () -> assertThat(keys()).containsExactlyInAnyOrder("holdfast:{tidy}", "holdfast:{tidy/s}"));
        assertThat(number("STRLEN", "holdfast:{tidy}")).isEqualTo(26);
    }

    @Test
    void sideKeysThatLostTheirHeadDoNotComeBackToLife() throws InterruptedException {
        Lease one = locks.semaphore("torn", 2).permits(1).acquire();
        Lease two = locks.semaphore("torn", 2).permits(1).acquire();
        redis.ask("DEL", "holdfast:{torn}");
        List<Lease> fresh = List.of(
                locks.semaphore("torn", 2).permits(1).acquire(),
                locks.semaphore("torn", 2).permits(1).acquire());

        assertThat(one.release() || two.release()).as("lost with the head").isFalse();
        assertThat(locks.inspect("torn").orElseThrow().holders()).hasSize(2);
        assertThat(fresh).allMatch(Lease::release);
    }

    private CompletableFuture<Lease> waiter(String name) {
        Holdfast other = rig.keep(new Closing(Holdfast.connect(redis.url()))).locks;
        CompletableFuture<Lease> waiter = other.lock(name).acquireAsync();
        await().until(() ->
                locks.inspect(name).map(LockView::waiters).map(List::size).equals(Optional.of(1)));
        return waiter;
    }

    private record Closing(Holdfast locks) implements AutoCloseable {
        @Override
        public void close() {
            locks.close();
        }
    }

    /** Leaves the last epoch of a free name as an earlier holder could have left it. */
    private static void last(String name, long epoch) {
        redis.ask(
                "EVAL",
                "local t = redis.call('TIME') local ends = t[1] * 1000 + 259200000 "
                        + "return redis.call('SET', KEYS[1], '10' .. struct.pack('>I8I8I8', ends, 0, tonumber(ARGV[1])),"
                        + " 'PXAT', string.format('%.0f', ends))",
                "1",
                "holdfast:{" + name + "}",
                Long.toString(epoch));
    }

    /** Lets a name's keys have only so much time left, as if they had been written days ago. */
    private static void age(String name, long left) {
        redis.ask(
                "EVAL",
                "local head = redis.call('GET', KEYS[1]) local t = redis.call('TIME') "
                        + "local ends = t[1] * 1000 + tonumber(ARGV[1]) "
                        + "redis.call('SET', KEYS[1], string.sub(head, 1, 2) .. struct.pack('>I8', ends) .. "
                        + "string.sub(head, 11), 'PXAT', string.format('%.0f', ends)) "
                        + "return redis.call('PEXPIRE', KEYS[1] .. ':h', ARGV[1])",
                "1",
                "holdfast:{" + name + "}",
                Long.toString(left));
    }

    private static long serverMicros() {
        List<?> time = (List<?>) redis.ask("TIME");
        return (Long.parseLong((String) time.get(0)) * 1000 - ORIGIN_MILLIS) * 1000
                + Long.parseLong((String) time.get(1));
    }

    private static long number(String... command) {
        return (Long) redis.ask(command);
    }

    private static List<String> keys() {
        return ((List<?>) redis.ask("KEYS", "*")).stream().map(String::valueOf).toList();
    }
}
