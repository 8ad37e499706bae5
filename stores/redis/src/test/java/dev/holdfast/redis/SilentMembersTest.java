package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastException;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisCluster;
import dev.holdfast.rig.redis.RedisSettings;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.tck.Outages.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Most members of a cluster are silent, and the others must not suffer from that. */
final class SilentMembersTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(3);

    /** A renewal that waits for a silent member as long as it may comes too late for such a lease. */
    private static final LockOptions BRIEF = LockOptions.defaults().withLeaseTime(Duration.ofSeconds(3));

    private static final int HELD = 40;
    private static final Duration PATIENT = Duration.ofMinutes(1);

    /** That of a bare client. */
    private static final Duration BARE_TIMEOUT = Duration.ofSeconds(5);

    @RegisterExtension
    static final Rig rig = new Rig();

    private static MappedCluster mapped;

    @BeforeAll
    static void start() throws InterruptedException {
        mapped = new MappedCluster(rig, RedisCluster.start(rig, RedisSettings.defaults()));
    }

    /** Waiters at members that answer are told so, and soon. */
    @Test
    void pollTellsWhatIsKnownWithoutWaitingForASilentMember() throws InterruptedException {
        ClusterOutages outages = new ClusterOutages(mapped);
        List<Claim> claims = new ArrayList<>();
        String silent = IntStream.range(0, HELD)
                .mapToObj(i -> "waited/" + i)
                .filter(outages::silences)
                .findFirst()
                .orElseThrow();
        try (BareClient holder = new BareClient(mapped.cluster().url());
                BareClient waiter = new BareClient(mapped.stores())) {
            for (String name : List.of("spared", silent)) {
                holder.take(BareClient.claim(PATIENT, name));
                claims.add(BareClient.claim(PATIENT, name));
            }
            assertThat(waiter.store().poll(claims)).hasOnlyElementsOfType(AcquireOutcome.Contended.class);
            outages.begin(Fault.PARTLY_SILENT);
            long begin = System.nanoTime();
            List<AcquireOutcome> outcomes = waiter.store().poll(claims);
            Duration took = Duration.ofNanos(System.nanoTime() - begin);
            outages.end();

            assertThat(outcomes.get(0)).isInstanceOf(AcquireOutcome.Contended.class);
            assertThat(outcomes.get(1)).isInstanceOf(AcquireOutcome.Unknown.class);
            assertThat(took).as("long before the timeout").isLessThan(BARE_TIMEOUT.dividedBy(2));
        }
    }

    @Test
    void leasesAtMembersThatAnswerAreKeptAndThoseAtSilentOnesAreToldLost() throws InterruptedException {
        ClusterOutages outages = new ClusterOutages(mapped);
        try (Holdfast locks =
                outages.connect(Holdfast.builder()).commandTimeout(TIMEOUT).build()) {
            List<Lease> answering = new ArrayList<>();
            List<Lease> silent = new ArrayList<>();
            for (int i = 0; i < HELD; i++) {
                Lease lease = locks.lock("held/" + i, BRIEF).acquire();
                (outages.silences(lease.name()) ? silent : answering).add(lease);
            }
            outages.begin(Fault.PARTLY_SILENT);
            Outcomes.outlives(answering.get(0), BRIEF);
            Outcomes.outlives(answering.get(0), BRIEF);

            assertThat(answering).allMatch(Lease::isHeld);
            assertThat(silent).noneMatch(Lease::isHeld);
            long begin = System.nanoTime();
            answering.forEach(Lease::close);
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(TIMEOUT);
            outages.end();
            await().atMost(Duration.ofSeconds(5))
                    .ignoreExceptionsInstanceOf(HoldfastException.class)
                    .until(() -> locks.lock(silent.get(0).name()).tryAcquire().isPresent());
        }
    }
}
