package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisCluster;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.rig.redis.RedisSettings;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Slots move all the time while their names are in use. No replica is promoted meanwhile, however busy the machine is: a
 * failover may lose what was written last, a move may not.
 */
final class ClusterReshardTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration PAUSE = Duration.ofMillis(400);
    private static final int ONE_PAUSE_IN = 40;
    private static final Duration SHORT = Duration.ofSeconds(5);
    private static final Duration LONG = Duration.ofSeconds(Integer.getInteger("holdfast.reshardSeconds", 60));

    @RegisterExtension
    static final Rig rig = new Rig();

    private static RedisCluster cluster;

    @BeforeAll
    static void start() throws InterruptedException {
        cluster = RedisCluster.start(rig, RedisSettings.defaults());
        cluster.nodes().forEach(node -> node.ask("CONFIG", "SET", "cluster-replica-no-failover", "yes"));
    }

    @Test
    void nobodyOverlapsAndNobodyIsToldLostWhileSlotsMove() throws InterruptedException {
        moveSlotsFor(SHORT, (source, target) -> {});
    }

    /** Keys of a name are at both servers, and one of these stands still for a while. */
    @Test
    void nobodyOverlapsAndNobodyIsToldLostWhileSlotsMoveAndMembersStandStill() throws InterruptedException {
        moveSlotsFor(SHORT, pauses());
    }

    @Test
    @Tag("full")
    @Timeout(value = 1, unit = TimeUnit.HOURS)
    void nobodyOverlapsAndNobodyIsToldLostWhileSlotsMoveForLong() throws InterruptedException {
        moveSlotsFor(LONG, (source, target) -> {});
    }

    @Test
    @Tag("full")
    @Timeout(value = 1, unit = TimeUnit.HOURS)
    void nobodyOverlapsAndNobodyIsToldLostWhileSlotsMoveAndMembersStandStillForLong() throws InterruptedException {
        moveSlotsFor(LONG, pauses());
    }

    /** Every now and then, for less time than after which the others would take a member for dead. */
    private static SlotMover.Disturbance pauses() {
        Random random = new Random(1);
        return (source, target) -> {
            if (random.nextInt(ONE_PAUSE_IN) == 0) {
                RedisNode node = random.nextBoolean() ? source : target;
                node.pause();
                long until = System.nanoTime() + PAUSE.toNanos();
                await().pollInterval(PAUSE.dividedBy(10)).until(() -> System.nanoTime() - until > 0);
                node.resume();
            }
        };
    }

    private static boolean isMaster(RedisNode node) {
        return node.ask("ROLE") instanceof List<?> role && "master".equals(String.valueOf(role.get(0)));
    }

    private static void moveSlotsFor(Duration time, SlotMover.Disturbance disturbance) throws InterruptedException {
        try (SharedTraffic traffic = new SharedTraffic(cluster.url(), 3, 2)) {
            await().atMost(PATIENCE).until(() -> traffic.grants() > 200);
            // All of them: an earlier test may have moved the busy slots together.
            List<RedisNode> masters = cluster.nodes().stream()
                    .filter(ClusterReshardTest::isMaster)
                    .toList();
            Map<Integer, Integer> whereSlotsAre = new HashMap<>();
            for (String name : traffic.names()) {
                RedisNode master = cluster.masterOf("holdfast:{" + name + "}");
                whereSlotsAre.put(SlotMover.slotOf(name), masters.indexOf(master));
            }
            SlotMover mover = new SlotMover(masters);
            long moves = 0;
            long until = System.nanoTime() + time.toNanos();
            try {
                while (System.nanoTime() - until < 0) {
                    for (Map.Entry<Integer, Integer> slot : whereSlotsAre.entrySet()) {
                        slot.setValue(mover.move(slot.getKey(), slot.getValue(), disturbance));
                        moves++;
                    }
                }
                long before = traffic.grants();
                await().atMost(PATIENCE).until(() -> traffic.grants() > before + 100);
                traffic.end();
            } finally {
                System.out.println(moves + " moves of slots, " + mover.keys() + " keys, " + mover.disputes()
                        + " disputes between masters; " + traffic);
                traffic.losses().forEach(System.out::println);
            }

            assertThat(traffic.surprises()).isEmpty();
            assertThat(traffic.overlaps()).as("holders beside each other").isEmpty();
            assertThat(traffic.losses()).as("holders that were told lost").isEmpty();
            assertThat(moves).isGreaterThan(10);
        }
    }
}
