package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.HoldfastException;
import dev.holdfast.LockKind;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisCluster;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.rig.redis.RedisSettings;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.RenewOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import redis.clients.jedis.util.JedisClusterCRC16;

/**
 * A slot moves key by key, as resharding does it, and after each key everybody looks: nobody is granted what somebody else
 * has, nobody is told lost who is not, and every key arrives. Both ways, and in both orders of the keys.
 */
final class MovingKeysTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration LEASE = Duration.ofMinutes(5);
    private static final String NAME = "moving";
    private static final String HEAD = "holdfast:{moving}";
    private static final String SLOT = Integer.toString(JedisClusterCRC16.getSlot(HEAD));

    @RegisterExtension
    static final Rig rig = new Rig();

    private static RedisCluster cluster;

    private RedisNode here;
    private RedisNode there;
    private BareClient one;
    private BareClient other;

    /** What to look at after each key that has moved. */
    private interface Look {
        void look();
    }

    @BeforeAll
    static void start() throws InterruptedException {
        cluster = RedisCluster.start(rig, RedisSettings.defaults());
    }

    @BeforeEach
    void connect() {
        here = cluster.masterOf(HEAD);
        here.ask("FLUSHALL");
        there = cluster.nodes().stream()
                .filter(node -> node.port() != here.port()
                        && String.valueOf(node.ask("INFO", "replication")).contains("role:master"))
                .findFirst()
                .orElseThrow();
        there.ask("FLUSHALL");
        // A short timeout: what cannot be told is to be told soon.
        one = new BareClient(cluster.url() + "#timeout=1s");
        other = new BareClient(cluster.url() + "#timeout=1s");
    }

    @AfterEach
    void close() {
        one.close();
        other.close();
        // A test that failed in the middle of a move does not make the next one fail.
        List.of(here, there).forEach(node -> node.ask("CLUSTER", "SETSLOT", SLOT, "STABLE"));
    }

    @Test
    void readersKeepWriterOut() throws InterruptedException {
        List<Grant> readers =
                List.of(take(part(LockKind.READ_WRITE, 1, Claim.MANY)), take(part(LockKind.READ_WRITE, 1, Claim.MANY)));
        Claim writer = part(LockKind.READ_WRITE, Claim.MANY, Claim.MANY);
        moveThereAndBack(() -> {
            assertNotGranted(tryOnce(writer));
            assertNotLost(readers);
        });

        assertThat(one.store().release(readers)).containsOnly(ReleaseOutcome.RELEASED);
        assertThat(tryOnce(writer)).isInstanceOf(AcquireOutcome.Granted.class);
    }

    @Test
    void permitsAreNotGivenTwice() throws InterruptedException {
        List<Grant> held = List.of(take(permit()), take(permit()));
        moveThereAndBack(() -> {
            assertNotGranted(tryOnce(permit()));
            assertNotLost(held);
        });

        assertThat(one.store().release(held)).containsOnly(ReleaseOutcome.RELEASED);
    }

    /** The last in line leaves it, so that the line is gone where the server refuses to look for keys that are not there. */
    @Test
    void releaseThatEmptiesTheLineIsDoneWholly() throws InterruptedException {
        Grant leaving = take(part(LockKind.SEMAPHORE, 1, 3));
        Grant staying = take(part(LockKind.SEMAPHORE, 1, 3));
        Claim two = part(LockKind.SEMAPHORE, 2, 3);
        other.store().tryAcquire(two);
        begin();
        assertThat(one.store().release(List.of(leaving))).containsExactly(ReleaseOutcome.RELEASED);
        keys(true).forEach(this::move);
        finish();

        await().atMost(PATIENCE).until(() -> !other.pushed.isEmpty() || other.isGranted(two));
        assertNotGranted(tryOnce(part(LockKind.SEMAPHORE, 1, 3)));
        assertNotLost(List.of(staying));
    }

    @Test
    void lineKeepsItsOrderAndNobodyIsGrantedWhatIsHeld() throws InterruptedException {
        List<Grant> held = one.take(exclusive());
        Claim first = exclusive();
        Claim second = exclusive();
        other.store().tryAcquire(first);
        other.store().tryAcquire(second);
        moveThereAndBack(() -> {
            assertNotGranted(poll(second));
            assertNotGranted(tryOnce(exclusive()));
            assertNotLost(held);
        });
        assertThat(one.store().release(held)).containsOnly(ReleaseOutcome.RELEASED);

        await().atMost(PATIENCE).until(() -> !other.pushed.isEmpty());
        assertThat(other.pushed.peek().get(0).owner()).isEqualTo(first.owner());
        assertThat(other.pushed.peek().get(0).epoch()).isGreaterThan(held.get(0).epoch());
    }

    @Test
    void releaseInTheMiddleOfAMoveServesTheLineInTheEnd() throws InterruptedException {
        for (boolean headFirst : new boolean[] {true, false}) {
            List<Grant> held = one.take(exclusive());
            Claim first = exclusive();
            other.store().tryAcquire(first);
            other.pushed.clear();
            begin();
            List<String> keys = keys(headFirst);
            move(keys.get(0));
            boolean released = isReleased(held);
            keys.subList(1, keys.size()).forEach(this::move);
            finish();
            await().atMost(PATIENCE).until(() -> released || isReleased(held));
            await().atMost(PATIENCE).until(() -> !other.pushed.isEmpty() || other.isGranted(first));
            other.store().withdraw(first, false);
        }
    }

    @Test
    void withdrawnClaimIsNotGrantedByAMove() throws InterruptedException {
        Claim withdrawn = exclusive();
        one.store().withdraw(withdrawn, true);
        moveThereAndBack(() -> assertNotGranted(tryOnce(withdrawn)));
        Claim late = exclusive();
        begin();
        List<String> keys = keys(true);
        move(keys.get(0));
        boolean buried = withdraws(late);
        keys.subList(1, keys.size()).forEach(this::move);
        finish();
        await().atMost(PATIENCE).until(() -> buried || withdraws(late));

        assertNotGranted(tryOnce(late));
        assertNotGranted(tryOnce(withdrawn));
        assertThat(one.take(exclusive())).hasSize(1);
    }

    /** Nobody can tell a key that has run out from one that has gone ahead, so it must not run out while its head tells of it. */
    @Test
    void graveThatIsOverDoesNotKeepANameFromBeingTakenWhileItsSlotIsLeaving() throws InterruptedException {
        one.store().withdraw(exclusive(), true);
        assertThat((Long) here.ask("PTTL", HEAD + ":t")).isGreaterThanOrEqualTo((Long) here.ask("PTTL", HEAD));
        here.ask(
                "EVAL",
                "return redis.call('ZADD', KEYS[1], 1, redis.call('ZRANGE', KEYS[1], 0, 0)[1])",
                "1",
                HEAD + ":t");
        begin();
        List<Grant> held = one.take(exclusive());
        keys(true).forEach(this::move);
        finish();

        assertNotLost(held);
    }

    /** Where the slot is leaving no key can begin, so that nobody finds a place beside a single holder. */
    @Test
    void waiterThatCannotBeServedWhileItsSlotIsLeavingKeepsItsPlace() throws InterruptedException {
        Grant held = take(part(LockKind.SEMAPHORE, 1, 3));
        Claim all = part(LockKind.SEMAPHORE, 3, 3);
        Claim waiting = part(LockKind.SEMAPHORE, 1, 3);
        other.store().tryAcquire(all);
        other.store().tryAcquire(waiting);
        begin();
        other.store().withdraw(all, false);
        assertThat(here.ask("ZCARD", HEAD + ":q")).isEqualTo(1L);
        assertThat(here.ask("HLEN", HEAD + ":w")).isEqualTo(1L);
        keys(true).forEach(this::move);
        finish();

        await().atMost(PATIENCE).until(() -> other.isGranted(waiting));
        assertNotLost(List.of(held));
    }

    @Test
    void permitThatNobodyCanGiveWhileItsSlotIsLeavingIsNotTaken() throws InterruptedException {
        Grant held = take(permit());
        begin();
        Claim second = permit();
        assertThatThrownBy(() -> other.store().tryAcquire(second)).isInstanceOf(StoreUnavailableException.class);
        assertThat(tryOnce(part(LockKind.SEMAPHORE, 2, 2))).isInstanceOf(AcquireOutcome.Contended.class);
        keys(true).forEach(this::move);
        finish();

        assertThat(tryOnce(second)).isInstanceOf(AcquireOutcome.Granted.class);
        assertNotLost(List.of(held));
    }

    @Test
    void evictionOfSeveralHoldersIsDoneWhollyWhileTheirSlotIsLeaving() throws InterruptedException {
        take(permit());
        take(permit());
        begin();
        assertThat(one.store().evict(NAME, OptionalLong.empty(), "test", "move"))
                .isEqualTo(2);
        assertThat(tryOnce(part(LockKind.SEMAPHORE, 2, 2))).isInstanceOf(AcquireOutcome.Granted.class);
        keys(true).forEach(this::move);
        finish();

        assertNotGranted(tryOnce(permit()));
    }

    @Test
    void freeNameCanBeTakenWhileItsSlotIsLeaving() throws InterruptedException {
        long before = one.take(exclusive()).get(0).epoch();
        here.ask("DEL", HEAD);
        begin();
        Grant there = one.take(exclusive()).get(0);
        assertThat(there.epoch()).isGreaterThan(before);
        assertNotGranted(tryOnce(exclusive()));
        finish();

        assertThat(one.store().release(List.of(there))).containsOnly(ReleaseOutcome.RELEASED);
        assertThat(one.take(exclusive()).get(0).epoch()).isGreaterThan(there.epoch());
    }

    @Test
    void tokensGrowWhileTheSlotMovesUnderLoad() throws InterruptedException {
        try (Traffic traffic = new Traffic(cluster.url(), NAME, 3)) {
            for (int i = 0; i < 4; i++) {
                int before = traffic.count();
                await().atMost(PATIENCE).until(() -> traffic.count() > before + 100);
                begin();
                // Keys come and go while they are moved.
                while (!slotKeys().isEmpty()) {
                    slotKeys().forEach(key -> move(String.valueOf(key)));
                }
                finish();
            }
            int before = traffic.count();
            await().atMost(PATIENCE).until(() -> traffic.count() > before + 100);
            traffic.endAndCheck();
        }
    }

    private void moveThereAndBack(Look look) throws InterruptedException {
        for (boolean headFirst : new boolean[] {true, false, true, false}) {
            begin();
            look.look();
            for (String key : keys(headFirst)) {
                move(key);
                look.look();
            }
            finish();
            look.look();
        }
    }

    private void begin() {
        there.ask("CLUSTER", "SETSLOT", SLOT, "IMPORTING", id(here));
        here.ask("CLUSTER", "SETSLOT", SLOT, "MIGRATING", id(there));
    }

    private List<String> keys(boolean headFirst) {
        List<String> keys = new ArrayList<>();
        for (String suffix : new String[] {"", ":h", ":q", ":w", ":t", ":e"}) {
            if (slotKeys().contains(HEAD + suffix)) {
                keys.add(headFirst ? keys.size() : 0, HEAD + suffix);
            }
        }
        return keys;
    }

    private List<?> slotKeys() {
        return (List<?>) here.ask("CLUSTER", "GETKEYSINSLOT", SLOT, "100");
    }

    private void move(String key) {
        Object answer = here.ask("MIGRATE", "127.0.0.1", Integer.toString(there.port()), key, "0", "5000");
        assertThat(String.valueOf(answer)).as(key).isIn("OK", "NOKEY");
    }

    private void finish() throws InterruptedException {
        assertThat(slotKeys()).as("everything has moved").isEmpty();
        for (RedisNode node : List.of(there, here)) {
            node.ask("CLUSTER", "SETSLOT", SLOT, "NODE", id(there));
        }
        cluster.awaitSettled();
        RedisNode left = here;
        here = there;
        there = left;
    }

    private static String id(RedisNode node) {
        return String.valueOf(node.ask("CLUSTER", "MYID"));
    }

    /** What a claim is told that does not wait; null if that cannot be told. */
    private AcquireOutcome tryOnce(Claim claim) {
        try {
            return other.store().tryAcquire(new Claim(claim.parts(), claim.owner(), LEASE, claim.holder(), false));
        } catch (StoreUnavailableException cannotTell) {
            return new AcquireOutcome.Contended(Duration.ZERO);
        }
    }

    private AcquireOutcome poll(Claim claim) {
        try {
            return other.store().poll(List.of(claim)).get(0);
        } catch (StoreUnavailableException cannotTell) {
            return new AcquireOutcome.Contended(Duration.ZERO);
        }
    }

    private boolean isReleased(List<Grant> held) {
        return one.store().release(held).contains(ReleaseOutcome.RELEASED);
    }

    private boolean withdraws(Claim claim) {
        try {
            one.store().withdraw(claim, true);
            return true;
        } catch (HoldfastException cannotTell) {
            return false;
        }
    }

    private static void assertNotGranted(AcquireOutcome outcome) {
        assertThat(outcome).isNotInstanceOf(AcquireOutcome.Granted.class);
    }

    private void assertNotLost(List<Grant> held) {
        assertThat(one.store().renew(held)).doesNotHaveAnyElementsOfTypes(RenewOutcome.Lost.class);
    }

    private Grant take(Claim claim) {
        return one.take(claim).get(0);
    }

    private static Claim exclusive() {
        return part(LockKind.EXCLUSIVE, 1, 1);
    }

    private static Claim permit() {
        return part(LockKind.SEMAPHORE, 1, 2);
    }

    private static Claim part(LockKind kind, int units, int capacity) {
        return BareClient.claim(LEASE, List.of(new Claim.Part(NAME, kind, units, capacity)));
    }
}
