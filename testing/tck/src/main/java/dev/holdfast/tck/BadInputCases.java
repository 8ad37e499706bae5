package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.LockOptions;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.StoreTraits.Promise;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Input that makes no sense is refused at once, in words, and changes nothing. */
abstract class BadInputCases {
    private final Fixture fixture;

    BadInputCases(Fixture fixture) {
        this.fixture = fixture;
    }

    @AfterEach
    void nothingWasChanged() {
        assertThat(fixture.observer().list(fixture.prefix(), 10)).isEmpty();
    }

    @Test
    void namesThatAreNoNamesAreRefused() {
        Holdfast client = fixture.client();
        List<String> wrong = List.of(
                "",
                "x".repeat(256),
                "\u00e9".repeat(128),
                "\u9501".repeat(86),
                "line\nbreak",
                "tab\t",
                "nul\0",
                "escape\u001b",
                "delete\u007f",
                "next line\u0085",
                "half a pair \uD83D",
                "\uDD12 other half");
        for (String name : wrong) {
            refused(() -> client.lock(name));
            refused(() -> client.lock(name, fixture.calm()));
            refused(() -> client.all(fixture.name(), name));
            refused(() -> client.readWriteLock(name));
            refused(() -> client.semaphore(name, 3));
            refused(() -> client.election(name));
            refused(() -> client.inspect(name));
            refused(() -> client.evict(name, "maintenance"));
        }
    }

    @Test
    void severalNamesMustBeSomeAndDifferent() {
        fixture.needs(Promise.SEVERAL_NAMES);
        Holdfast client = fixture.client();
        String name = fixture.name();

        refused(client::all);
        refused(() -> client.all(List.of(), fixture.calm()));
        refused(() -> client.all(name, name));
        refused(() -> client.all(name, fixture.name(), name));
    }

    @Test
    void capacitiesAndPermitsOutOfRangeAreRefused() {
        fixture.needs(Promise.SEMAPHORE);
        Holdfast client = fixture.client();
        String name = fixture.name();
        for (int capacity : new int[] {0, -1, Integer.MIN_VALUE, 1_000_001, Integer.MAX_VALUE}) {
            refused(() -> client.semaphore(name, capacity));
        }
        for (int permits : new int[] {0, -1, Integer.MIN_VALUE, 4, Integer.MAX_VALUE}) {
            refused(() -> client.semaphore(name, 3).permits(permits));
        }
    }

    @Test
    void negativeWaitsAreRefused() {
        DistributedLock lock = fixture.client().lock(fixture.name());

        refused(() -> lock.tryAcquire(Duration.ofNanos(-1)));
        refused(() -> lock.tryAcquireAsync(Duration.ofNanos(-1)));
    }

    @Test
    void veryLongWaitsAreAllowed() throws Exception {
        DistributedLock lock = fixture.client().lock(fixture.name());
        Duration longest = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);

        assertThat(lock.tryAcquire(longest))
                .isPresent()
                .hasValueSatisfying(lease -> assertThat(lease.release()).isTrue());
        assertThat(fixture.outcome(lock.tryAcquireAsync(longest)))
                .hasValueSatisfying(lease -> assertThat(lease.release()).isTrue());
    }

    @Test
    void durationsThatMakeNoSenseAreRefused() {
        LockOptions options = LockOptions.defaults();
        for (Duration wrong : List.of(Duration.ZERO, Duration.ofSeconds(-1), Duration.ofSeconds(Long.MAX_VALUE))) {
            refused(() -> options.withLeaseTime(wrong));
            refused(() -> options.withMaxHold(wrong));
        }
        for (Duration wrong : List.of(Duration.ofSeconds(-1), Duration.ofSeconds(Long.MAX_VALUE))) {
            refused(() -> options.withStickyFor(wrong));
            refused(() -> options.withTurn(wrong));
        }
        refused(() -> options.withLabel("x".repeat(201)));
        refused(() -> options.withLabel("line\nbreak"));
    }

    @Test
    void leasesThatTheStoreCannotGiveAreRefused() {
        Holdfast client = fixture.client();
        Duration shortest = fixture.traits().shortestLease();
        Duration longest = fixture.traits().longestLease();
        List<Duration> beyond = List.of(shortest.minusMillis(1), longest.plusMillis(1));
        for (Duration lease : beyond) {
            refused(() -> client.lock(fixture.name(), LockOptions.defaults().withLeaseTime(lease)));
        }
    }

    @Test
    void listsWithoutALimitAndEvictionsWithoutAReasonAreRefused() {
        Holdfast client = fixture.client();

        refused(() -> client.list(fixture.prefix(), 0));
        refused(() -> client.list(fixture.prefix(), -1));
        refused(() -> client.evict(fixture.name(), ""));
        refused(() -> client.evict(fixture.name(), 1, " "));
        refused(() -> client.evict(fixture.name(), -1, "maintenance"));
    }

    @Test
    void urlsThatLeadNowhereAreRefused() {
        for (String url : List.of("", "no scheme", "://", "nonesuch://localhost", "nonesuch:")) {
            misconfigured(() -> Holdfast.connect(url));
        }
        refused(() -> Holdfast.builder().clientName(""));
        refused(() -> Holdfast.builder().clientName("line\nbreak"));
    }

    @Test
    void unknownMalformedAndRepeatedOptionsAreRefused() {
        String separator = fixture.url().contains("#") ? "&" : "#";

        misconfigured(() -> Holdfast.connect(fixture.url() + separator + "nonesuch=1"));
        misconfigured(() -> Holdfast.connect(fixture.url() + separator + "nonesuch"));
        misconfigured(() -> Holdfast.connect(fixture.url() + separator + "nonesuch=%zz"));
        misconfigured(() ->
                Holdfast.builder().url(fixture.url()).option("nonesuch", "1").build());
    }

    private static void refused(ThrowingCallable input) {
        assertThatThrownBy(input).isInstanceOf(IllegalArgumentException.class).hasMessageMatching("(?s).{10,}");
    }

    private static void misconfigured(ThrowingCallable input) {
        assertThatThrownBy(input)
                .isInstanceOf(StoreMisconfiguredException.class)
                .hasMessageMatching("(?s).{10,}");
    }
}
