package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.rig.redis.RedisSentinels;
import dev.holdfast.rig.redis.RedisSettings;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tokens over promotions: whoever coordinates the servers is in them. */
final class PromotionTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final long HOUR_MICROS = Duration.ofHours(1).toNanos() / 1000;
    private static final int MANY = Integer.getInteger("holdfast.failovers", 20);
    private static final long SLACK_MICROS = Duration.ofMinutes(5).toNanos() / 1000;

    @RegisterExtension
    static final Rig rig = new Rig();

    private static RedisSentinels group;

    @BeforeAll
    static void start() throws InterruptedException {
        group = RedisSentinels.start(rig, RedisSettings.defaults());
    }

    @Test
    void failoverUnderLoadRepeatsNoToken() throws InterruptedException {
        try (Traffic traffic = new Traffic(group.url(), "busy", 4)) {
            await().atMost(PATIENCE).until(() -> traffic.count() > 100);
            group.failOver();
            int before = traffic.count();
            await().atMost(PATIENCE).until(() -> traffic.count() > before + 100);
            traffic.endAndCheckByGeneration(1);
        }
    }

    @Test
    @Tag("full")
    @Timeout(value = 1, unit = TimeUnit.HOURS)
    void manyFailoversUnderLoadRepeatNoToken() throws InterruptedException {
        try (Traffic traffic = new Traffic(group.url(), "busier", 4)) {
            for (int i = 0; i < MANY; i++) {
                int before = traffic.count();
                await().atMost(PATIENCE).until(() -> traffic.count() > before + 100);
                group.failOver();
            }
            int before = traffic.count();
            await().atMost(PATIENCE).until(() -> traffic.count() > before + 100);
            traffic.endAndCheckByGeneration(MANY);
            System.out.println(MANY + " failovers: " + traffic);
        }
    }

    /** Both masters serve, and nothing that one of them writes reaches the other: everything that can be lost is. */
    @Test
    void whatANewMasterGivesIsLargerThanAnythingThatTheOldOneCanStillGive() throws InterruptedException {
        RedisNode old = group.master();
        try (BareClient late = new BareClient(group.url());
                BareClient early = new BareClient(old.url())) {
            long before = take(late, "known");
            group.failOver();
            await().atMost(PATIENCE).ignoreExceptions().until(() -> take(late, "settled") > 0);
            // Whoever has not heard of it goes on with the old one, for as long as that lets him.
            List<Long> outdated = new ArrayList<>();
            for (String name : List.of("known", "new", "other")) {
                await().atMost(PATIENCE).ignoreExceptions().until(() -> {
                    // Sentinels make it a replica again as soon as they see it.
                    old.ask("REPLICAOF", "NO", "ONE");
                    return outdated.add(take(early, name));
                });
            }
            List<Long> current = new ArrayList<>();
            for (String name : List.of("known", "new", "other")) {
                current.add(take(late, name));
            }

            long smallest = current.stream().min(Long::compare).orElseThrow();
            assertThat(before).isLessThan(smallest);
            assertThat(outdated).allMatch(epoch -> epoch < smallest);
            assertThat(smallest - before).isGreaterThan(HOUR_MICROS - SLACK_MICROS);
        }
        group.awaitSettled();
    }

    @Test
    void recordOfTheFirstEditionKeepsItsOrder() throws InterruptedException {
        try (BareClient client = new BareClient(group.url())) {
            long first = take(client, "first edition");
            // Without a generation, as the first edition asks, whatever the last token was.
            RedisNode master = group.master();
            try (BareClient withoutGeneration = new BareClient(master.url())) {
                assertThat(take(withoutGeneration, "first edition")).isEqualTo(first + 1);
            }
            assertThat(take(client, "first edition")).isGreaterThan(first + 1);
        }
    }

    private static long take(BareClient client, String name) {
        Claim claim = BareClient.claim(LEASE, name);
        Grant grant = client.take(claim).get(0);
        client.store().release(List.of(grant));
        return grant.epoch();
    }
}
