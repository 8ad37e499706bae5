package dev.holdfast.bench.ruler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisNode;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Predicate;
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
        try (Team team = Team.start(Maker.REDISSON, redis.url(), 2, rig.directory())) {
            Outing outing = until(team, "race 2 shared lock", each -> each.switchesPerSecond() > 0);
            assertThat(outing.perSecond()).isPositive();
            assertThat(outing.longestSwitchMillis()).isPositive().isLessThanOrEqualTo(outing.longestWaitMillis());
            until(team, "hand-over other", each -> each.handOverMicros() > 0);
        }
    }

    @Test
    void holdfastIsReachedByItsUrl() throws InterruptedException {
        try (Team team = Team.start(Maker.HOLDFAST, "memory:", 1, rig.directory())) {
            until(team, "race 4 shared lock", each -> each.perSecond() > 0);
            team.perform("hold 10 name", "held");
            team.perform("drop", "dropped");
        }
        try (Team team = Team.start(Maker.HOLDFAST_STICKY, "memory:", 1, rig.directory())) {
            assertThat(team.run("race 1 own lock", false, SHORT).perSecond()).isPositive();
        }
    }

    @Test
    void floorHasNamesOfItsOwn() throws InterruptedException {
        RedisNode redis = RedisNode.start(rig);
        try (Team team = Team.start(Maker.JEDIS, redis.url(), 1, rig.directory())) {
            assertThat(team.run("race 4 own name", false, SHORT).perSecond()).isPositive();
            assertThatThrownBy(() -> team.run("race 4 shared name", true, SHORT))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("the floor cannot wait");
        }
    }

    @Test
    void heldLocksAreSeenByTheCount() throws InterruptedException {
        RedisNode redis = RedisNode.start(rig);
        try (Team team = Team.start(Maker.SPRING, redis.url(), 1, rig.directory())) {
            team.perform("hold 10 name", "held");
            assertThat((Long) redis.ask("DBSIZE")).isEqualTo(10);
            team.perform("drop", "dropped");
            assertThat((Long) redis.ask("DBSIZE")).isZero();
        }
    }

    @Test
    void lockThatDoesNotExcludeIsFound() throws InterruptedException, IOException {
        Blackboard board = Blackboard.open(rig.directory().resolve("board"));
        Race race = new Race(new NoLocks(), 4, number -> "name", board, 1);
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
