package dev.holdfast.bench.ruler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.rig.redis.RedisSettings;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class TeamTest {
    private static final Duration SHORT = Duration.ofMillis(300);
    private static final int MOST_ROUNDS = 40;

    @RegisterExtension
    final Rig rig = new Rig();

    @Test
    void processesOfAPeerShareOneLock() throws InterruptedException {
        RedisNode redis = RedisNode.start(rig);
        try (Team team = team(Maker.REDISSON, redis.url(), 2)) {
            Outing outing = until(team, "race 2 shared lock", each -> figure(each, Figure.SWITCHES_PER_SECOND) > 0);
            assertThat(figure(outing, Figure.PER_SECOND)).isPositive();
            assertThat(figure(outing, Figure.LONGEST_SWITCH_MILLIS))
                    .isPositive()
                    .isLessThanOrEqualTo(figure(outing, Figure.LONGEST_WAIT_MILLIS));
            until(team, "hand-over 0 other", each -> figure(each, Figure.LATENCY_MICROS) > 0);
        }
    }

    @Test
    void holdfastIsReachedByItsUrl() throws InterruptedException {
        try (Team team = team(Maker.HOLDFAST, "memory:", 1)) {
            until(team, "race 4 shared lock", each -> figure(each, Figure.GRANTS) > 0);
            assertThat(team.perform("hold 10 name")).isEqualTo("held");
            assertThat(team.perform("drop")).isEqualTo("dropped");
        }
        try (Team team = team(Maker.HOLDFAST_STICKY, "memory:", 1)) {
            assertThat(figure(team.run("race 1 own lock", false, SHORT), Figure.GRANTS))
                    .isPositive();
        }
    }

    @Test
    void nodesAreReachedAllTogetherAndTheFirstAlone() throws InterruptedException {
        List<RedisNode> nodes = RedisNode.startSeveral(rig, 3, RedisSettings.defaults());
        String url = nodes.stream()
                .map(node -> "127.0.0.1:" + node.port())
                .collect(Collectors.joining(",", "redlock://", "#fresh=true"));
        assertThat(asked(Maker.HOLDFAST, url, nodes)).isEqualTo(3);
        assertThat(asked(Maker.JEDIS_NODES, url, nodes)).isEqualTo(3);
        assertThat(asked(Maker.HOLDFAST_ONE_NODE, url, nodes)).isEqualTo(1);
        assertThat(asked(Maker.JEDIS, url, nodes)).isEqualTo(1);
    }

    /** How many nodes a maker asks. */
    private long asked(Maker maker, String url, List<RedisNode> nodes) throws InterruptedException {
        List<RedisTraffic> traffic = nodes.stream().map(RedisTraffic::new).toList();
        List<Long> before = traffic.stream().map(RedisTraffic::answers).toList();
        try (Team team = team(maker, url, 1)) {
            Outing outing = team.run("acquire 4 " + maker.word(), false, SHORT);
            assertThat(figure(outing, Figure.LATENCY_MICROS)).isPositive();
        }
        return IntStream.range(0, nodes.size())
                .filter(node -> traffic.get(node).answers() > before.get(node))
                .count();
    }

    @Test
    void floorHasNamesOfItsOwn() throws InterruptedException {
        RedisNode redis = RedisNode.start(rig);
        try (Team team = team(Maker.JEDIS, redis.url(), 1)) {
            assertThat(figure(team.run("race 4 own name", false, SHORT), Figure.GRANTS))
                    .isPositive();
            assertThatThrownBy(() -> team.run("race 4 shared name", true, SHORT))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("the floor cannot wait");
        }
    }

    @Test
    void heldLocksAreSeenByTheCount() throws InterruptedException {
        RedisNode redis = RedisNode.start(rig);
        try (Team team = team(Maker.SPRING_REDIS, redis.url(), 1)) {
            team.perform("hold 10 name");
            assertThat((Long) redis.ask("DBSIZE")).isEqualTo(10);
            team.perform("drop");
            assertThat((Long) redis.ask("DBSIZE")).isZero();
        }
    }

    @Test
    void everyWaiterGetsTheLockInTheEnd() throws InterruptedException {
        RedisNode redis = RedisNode.start(rig);
        try (Team team = team(Maker.HOLDFAST, redis.url(), 3)) {
            team.block("lock", 5);
            team.unblock();
            // Nobody has it any more, so the next round is not blocked either.
            team.block("lock", 1);
            team.unblock();
        }
    }

    @Test
    void whoIsGivenTheLockTooRarelyGetsMoreTime() throws InterruptedException {
        RedisNode redis = RedisNode.start(rig);
        try (Team team = team(Maker.HOLDFAST, redis.url(), 2)) {
            // A waiter is kept waiting for up to a second, so hardly any hand-over fits into a tenth of one.
            Outing outing = team.run("hand-over 1000 lock", true, Duration.ofMillis(100));
            assertThat(figure(outing, Figure.GRANTS)).isPositive();
            assertThat(outing.get(Figure.LATENCY_MICROS)).isPresent();
        }
    }

    @Test
    void lockOfAKilledProcessIsGivenToTheNext() throws InterruptedException {
        RedisNode redis = RedisNode.start(rig);
        try (Team team = team(Maker.HOLDFAST, redis.url(), 2, Duration.ofSeconds(1))) {
            for (String lock : List.of("first", "second")) {
                team.pursue(lock);
                long killed = team.killHolder();
                assertThat(team.taken(Duration.ofSeconds(60)))
                        .hasValueSatisfying(when -> assertThat(when).isGreaterThan(killed));
            }
        }
    }

    @Test
    void threeNamesAreTakenAtOnce() throws InterruptedException {
        RedisNode redis = RedisNode.start(rig);
        for (Maker maker : List.of(Maker.HOLDFAST, Maker.REDISSON)) {
            try (Team team = team(maker, redis.url(), 1)) {
                assertThat(figure(team.run("race 1 three name", false, SHORT), Figure.GRANTS))
                        .as(maker.title())
                        .isPositive();
            }
        }
    }

    @Test
    void memoryIsMeasuredInAProcessOfItsOwn() throws InterruptedException {
        try (Team team = team(Maker.HOLDFAST, "memory:", 1)) {
            Outing crowd = Outing.parse(team.perform("crowd 100"));
            assertThat(crowd.get(Figure.IN_ORDER)).contains(1.0);
            Outing footprint = Outing.parse(team.perform("memory 1000 name"));
            assertThat(figure(footprint, Figure.BYTES_PER_LEASE)).isPositive();
        }
    }

    @Test
    void lockThatDoesNotExcludeIsFound() throws InterruptedException, IOException {
        Blackboard board = Blackboard.open(rig.directory().resolve("board"));
        Race race = new Race(4, number -> new NoLocks().mutex("name"), board, 1);
        race.start();
        assertThat(race.awaitUnderWay(Duration.ofSeconds(10))).isTrue();
        race.count();
        long begin = System.nanoTime();
        while (System.nanoTime() - begin < SHORT.toNanos()) {
            Thread.onSpinWait();
        }
        assertThat(race.stop().entries()).isGreaterThan(board.entries());
    }

    /** Rounds are short, and on a busy machine not every one of them shows what is looked for. */
    private static Outing until(Team team, String heat, Predicate<Outing> shown) throws InterruptedException {
        for (int round = 0; round < MOST_ROUNDS; round++) {
            Outing outing = team.run(heat, true, SHORT);
            if (shown.test(outing)) {
                return outing;
            }
        }
        throw new AssertionError(heat + " did not show what was looked for in " + MOST_ROUNDS + " rounds");
    }

    private Team team(Maker maker, String url, int processes) throws InterruptedException {
        return enlisted(new Team(maker, url, rig.directory(), Optional.empty()), processes);
    }

    private Team team(Maker maker, String url, int processes, Duration lease) throws InterruptedException {
        return enlisted(new Team(maker, url, rig.directory(), Optional.of(lease)), processes);
    }

    /** Ends with the test, whatever becomes of it. */
    private Team enlisted(Team team, int processes) throws InterruptedException {
        rig.keep(team);
        team.enlist(processes);
        return team;
    }

    private static double figure(Outing outing, Figure figure) {
        return outing.get(figure).orElse(0.0);
    }

    /** Locks that let everybody in. */
    private static final class NoLocks implements Locks {
        @Override
        public Mutex mutex(String name) {
            return new Mutex() {
                @Override
                public void lock() {}

                @Override
                public void unlock() {}
            };
        }

        @Override
        public void close() {}
    }
}
