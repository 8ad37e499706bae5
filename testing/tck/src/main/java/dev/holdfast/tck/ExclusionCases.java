package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** One holder at a time, and tokens that tell the order of holders: P1, P3, P4, P5. */
abstract class ExclusionCases {
    private static final int CLIENTS = 3;
    private static final int THREADS_PER_CLIENT = 4;
    private static final int ROUNDS_PER_THREAD = 25;

    private final Fixture fixture;

    /** Guarded by the lock under test and by nothing else. */
    private int unprotectedCount;

    ExclusionCases(Fixture fixture) {
        this.fixture = fixture;
    }

    @Test
    void secondClientIsRefusedUntilTheFirstReleases() {
        String name = fixture.name();
        Lease lease = fixture.client().lock(name).tryAcquire().orElseThrow();
        Holdfast other = fixture.client();

        assertThat(other.lock(name).tryAcquire()).isEmpty();
        lease.close();

        assertThat(other.lock(name).tryAcquire()).isPresent();
    }

    @Test
    void secondThreadOfOneClientIsRefusedUntilTheFirstReleases() throws Exception {
        Holdfast client = fixture.client();
        String name = fixture.name();
        Lease lease = client.lock(name).acquire();

        assertThat(fixture.start(() -> client.lock(name).tryAcquire()).result()).isEmpty();
        lease.close();

        assertThat(fixture.start(() -> client.lock(name).tryAcquire()).result()).isPresent();
    }

    @Test
    void evenTheHoldingThreadIsRefusedASecondLease() throws InterruptedException {
        Holdfast client = fixture.client();
        String name = fixture.name();
        Lease lease = client.lock(name).acquire();

        assertThat(client.lock(name).tryAcquire()).isEmpty();
        assertThat(lease.isHeld()).isTrue();
    }

    @Test
    void clientsOfOneNameExcludeEachOther() {
        String name = fixture.name();
        Holdfast one = fixture.client(builder -> builder.clientName("twin"));
        Holdfast other = fixture.client(builder -> builder.clientName("twin"));
        Lease lease = one.lock(name).tryAcquire().orElseThrow();

        assertThat(other.lock(name).tryAcquire()).isEmpty();
        assertThat(lease.isHeld()).isTrue();
    }

    @Test
    void manyThreadsOfManyClientsNeverOverlapAndTokensTellTheirOrder() throws Exception {
        String name = fixture.name();
        List<Long> tokens = new ArrayList<>();
        List<Task<Boolean>> tasks = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            Holdfast client = fixture.client();
            for (int j = 0; j < THREADS_PER_CLIENT; j++) {
                tasks.add(fixture.run(() -> countUp(client, name, tokens)));
            }
        }
        for (Task<Boolean> task : tasks) {
            task.result();
        }

        assertThat(unprotectedCount).isEqualTo(CLIENTS * THREADS_PER_CLIENT * ROUNDS_PER_THREAD);
        assertThat(tokens).hasSize(unprotectedCount).doesNotHaveDuplicates().isSorted();
    }

    @Test
    void tokenOfALaterGrantIsLargerWhicheverClientTakesIt() {
        String name = fixture.name();
        List<Holdfast> clients = List.of(fixture.client(), fixture.client());
        List<Long> tokens = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            try (Lease lease = clients.get(i % 2).lock(name).tryAcquire().orElseThrow()) {
                tokens.add(lease.token());
            }
        }

        assertThat(tokens).doesNotHaveDuplicates().isSorted().allMatch(token -> token > 0);
    }

    @Test
    void tokenOfAClientThatCameLaterIsLarger() throws InterruptedException {
        String name = fixture.name();
        long earlier = fixture.takeInTheEnd(fixture.client(), name);

        assertThat(fixture.takeInTheEnd(fixture.client(), name)).isGreaterThan(earlier);
    }

    @Test
    void differentNamesAreDifferentLocks() {
        Holdfast client = fixture.client();

        assertThat(client.lock(fixture.name()).tryAcquire()).isPresent();
        assertThat(client.lock(fixture.name()).tryAcquire()).isPresent();
    }

    @Test
    void namesThatOnlyLookAlikeAreDifferentLocks() {
        Holdfast client = fixture.client();
        Holdfast other = fixture.client();
        String base = fixture.name();
        List<String> names = List.of(
                base,
                base + "a",
                base + "A",
                base + "a ",
                base + " a",
                base + "\u00e9",
                base + "e\u0301",
                base + "e",
                base + "%",
                base + "_",
                base + "*",
                base + "?",
                base + "[a]",
                base + "{a}",
                base + "{b}",
                base + "/a",
                base + "//a",
                base + "/./a",
                base + "/../a",
                base + "'",
                base + "\"",
                base + "\\",
                base + "\\\\",
                base + ":",
                base + "|",
                base + ",",
                base + "#",
                base + "%41",
                base + "\u9501",
                base + "\uD83D\uDD12",
                base + "\uD83D\uDD13",
                base + "; drop table locks; --",
                base + "x".repeat(255 - base.length()));
        List<Lease> leases = new ArrayList<>();
        for (String name : names) {
            Optional<Lease> lease = client.lock(name).tryAcquire();
            assertThat(lease).as("a lease of %s", name).isPresent();
            leases.add(lease.orElseThrow());
        }

        for (String name : names) {
            assertThat(other.lock(name).tryAcquire()).as("%s is held", name).isEmpty();
        }
        assertThat(leases).extracting(Lease::name).isEqualTo(names);
    }

    @Test
    void leaseMayBeUsedAndReleasedByAnotherThread() throws Exception {
        String name = fixture.name();
        Lease lease = fixture.client().lock(name).acquire();

        assertThat(fixture.start(lease::isHeld).result()).isTrue();
        assertThat(fixture.start(lease::release).result()).isTrue();

        assertThat(fixture.client().lock(name).tryAcquire()).isPresent();
    }

    @Test
    void runHoldsTheLockDuringTheActionAndReleasesAfterwards() throws Exception {
        String name = fixture.name();
        Holdfast other = fixture.client();
        fixture.client().lock(name).run(lease -> {
            assertThat(lease.isHeld()).isTrue();
            assertThat(other.lock(name).tryAcquire()).isEmpty();
        });

        assertThat(other.lock(name).tryAcquire()).isPresent();
    }

    @Test
    void callReturnsTheResultAndReleases() throws Exception {
        String name = fixture.name();
        long token = fixture.client().lock(name).call(Lease::token);

        assertThat(fixture.client().lock(name).tryAcquire().orElseThrow().token())
                .isGreaterThan(token);
    }

    @Test
    void runReleasesWhenTheActionThrowsAndPassesTheExceptionOn() {
        String name = fixture.name();
        Holdfast client = fixture.client();
        IllegalStateException mine = new IllegalStateException("mine");

        assertThatThrownBy(() -> client.lock(name).run(lease -> {
                    throw mine;
                }))
                .isSameAs(mine);

        assertThat(fixture.client().lock(name).tryAcquire()).isPresent();
    }

    @Test
    void tryRunDoesItsActionOrSkipsIt() throws Exception {
        String name = fixture.name();
        DistributedLock lock = fixture.client().lock(name);
        Holdfast other = fixture.client();
        List<String> done = new ArrayList<>();
        Lease held = other.lock(name).acquire();
        assertThat(lock.tryRun(lease -> done.add("while it is taken"))).isFalse();
        assertThat(lock.tryRun(Duration.ofMillis(50), lease -> done.add("while it is taken")))
                .isFalse();
        held.close();

        // The client may still be leaving the line, so it waits first.
        assertThat(lock.tryRun(fixture.patience(), lease -> done.add("in time")))
                .isTrue();
        assertThat(lock.tryRun(lease -> {
                    assertThat(lease.isHeld()).isTrue();
                    assertThat(other.lock(name).tryAcquire()).isEmpty();
                    done.add("at once");
                }))
                .isTrue();
        assertThat(done).containsExactly("in time", "at once");
        assertThat(other.lock(name).tryAcquire()).as("it is free again").isPresent();
    }

    @Test
    void tryCallReturnsTheResultOrNothing() throws Exception {
        String name = fixture.name();
        DistributedLock lock = fixture.client().lock(name);
        Lease held = fixture.client().lock(name).acquire();
        assertThat(lock.tryCall(Lease::token)).isEmpty();
        assertThat(lock.tryCall(Duration.ofMillis(50), Lease::token)).isEmpty();
        held.close();

        // The client may still be leaving the line, so it waits first.
        assertThat(lock.tryCall(fixture.patience(), Lease::token).orElseThrow()).isGreaterThan(held.token());
        assertThat(lock.tryCall(Lease::token).orElseThrow()).isGreaterThan(held.token());
        assertThat(fixture.client().lock(name).tryAcquire())
                .as("it is free again")
                .isPresent();
    }

    @Test
    @SuppressWarnings("NullAway") // What the compiler refuses is refused at run time too.
    void nullIsAResultOfCallButNotOfTryCall() throws Exception {
        String name = fixture.name();
        DistributedLock lock = fixture.client().lock(name);

        assertThat(lock.<@Nullable Object, RuntimeException>call(lease -> null)).isNull();
        assertThatThrownBy(() -> lock.tryCall(lease -> null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> lock.tryCall(fixture.patience(), lease -> null))
                .isInstanceOf(NullPointerException.class);
        assertThat(fixture.client().lock(name).tryAcquire())
                .as("it is free again")
                .isPresent();
    }

    @Test
    void tryRunAndTryCallReleaseWhenTheirWorkThrows() {
        String name = fixture.name();
        DistributedLock lock = fixture.client().lock(name);
        IOException mine = new IOException("mine");

        assertThatThrownBy(() -> lock.tryRun(lease -> {
                    throw mine;
                }))
                .isSameAs(mine);
        assertThatThrownBy(() -> lock.tryCall(fixture.patience(), lease -> {
                    throw mine;
                }))
                .isSameAs(mine);
        assertThat(fixture.client().lock(name).tryAcquire()).isPresent();
    }

    private void countUp(Holdfast client, String name, List<Long> tokens) throws InterruptedException {
        for (int i = 0; i < ROUNDS_PER_THREAD; i++) {
            try (Lease lease = client.lock(name).acquire()) {
                int seen = unprotectedCount;
                Threads.giveWay();
                unprotectedCount = seen + 1;
                tokens.add(lease.token());
            }
        }
    }
}
