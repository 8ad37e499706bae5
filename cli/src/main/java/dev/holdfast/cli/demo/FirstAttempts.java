package dev.holdfast.cli.demo;

import java.net.URI;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.params.SetParams;

/** The demonstration of first attempts at a lock in Redis, and of Holdfast in the same situations. */
final class FirstAttempts {
    private static final String KEY = "naive-lock";
    private static final String LEASE = "2s";
    private static final long SHORT_MILLIS = 300;
    private static final long LONG_MILLIS = 600_000;

    /** Longer than a failover usually takes, so that it is not the end of the lease that lets somebody else in. */
    private static final Duration LONG_LEASE = Duration.ofSeconds(30);

    private static final Duration GLANCE = Duration.ofMillis(20);
    private static final int MOST_GLANCES = 6_000;
    private static final int MOST_READINGS = 100_000;
    private static final String COMPARE_AND_DELETE =
            "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end";

    private final Narration narration;
    private final List<Player> players = new ArrayList<>();

    /** What is done at the end in any case. */
    private interface Ending extends AutoCloseable {
        @Override
        void close();
    }

    FirstAttempts(Narration narration) {
        this.narration = narration;
    }

    /** {@return whether everything went as it had to} */
    boolean play() throws InterruptedException {
        System.err.println("holdfast: starting Redis servers ...");
        // The players end before the database does: a client of an embedded one that loses its server becomes it.
        try (LentServers servers = LentServers.start("redis", "sentinel");
                DemoDatabase database = DemoDatabase.embedded(Account.TABLES);
                Ending everybody = () -> players.forEach(Player::close)) {
            String redis = servers.url("redis").orElseThrow(() -> new DemoException(servers.reason("redis")));
            String sentinel = servers.url("sentinel").orElseThrow(() -> new DemoException(servers.reason("sentinel")));
            try (Jedis naive = new Jedis(URI.create(redis))) {
                expireForgotten(naive, redis);
                othersLockDeleted(naive, redis);
                timeAsOwner(naive, redis);
            }
            failover(servers, sentinel, database);
            return narration.asExpected();
        } catch (SQLException failure) {
            throw new DemoException("the database failed (SQL state " + failure.getSQLState() + ")", failure);
        }
    }

    private void expireForgotten(Jedis naive, String redis) throws InterruptedException {
        narration.chapter("1. SETNX, then EXPIRE");
        Player client = user("A");
        String answer = client.ask("setnx " + redis + " " + KEY, "setnx");
        narration.step("A", "SETNX answers " + answer + ": A has the lock");
        client.kill();
        narration.event("A dies before it comes to EXPIRE (kill -9 " + client.pid() + ").");
        long other = (Long) naive.sendCommand(Protocol.Command.SETNX, KEY, "B");
        long left = naive.ttl(KEY);
        narration.step("B", "SETNX answers " + other + ", and TTL " + left + ": no expiry");
        narration.damage(answer.equals("1") && other == 0 && left == -1, "Nobody ever gets this lock again.");
        naive.del(KEY);

        narration.part("The same with Holdfast");
        List<Player> both = users(redis, "A", "B");
        Player a = both.get(0);
        Player b = both.get(1);
        long first = Long.parseLong(a.ask("acquire " + LEASE, "token"));
        narration.step("A", "has the lock, token " + first + ", with a lease of 2 seconds from the first moment");
        a.kill();
        narration.event("A dies (kill -9 " + a.pid() + ").");
        long second = Long.parseLong(b.ask("acquire " + LEASE, "token"));
        narration.safe(second > first, "B gets the lock when the lease has ended, token " + second + " (larger).");
        b.ask("release", "released");
        b.close();
    }

    private void othersLockDeleted(Jedis naive, String redis) throws InterruptedException {
        narration.chapter("2. DEL without looking whose lock it is");
        boolean a = take(naive, "A", SHORT_MILLIS);
        narration.step("A", "SET NX PX " + SHORT_MILLIS + " has the lock, but works for longer than that");
        awaitGone(naive);
        boolean b = take(naive, "B", LONG_MILLIS);
        narration.step("B", "SET NX PX has the lock, because A's has expired");
        long deleted = naive.del(KEY);
        narration.step("A", "is done and says DEL, which answers " + deleted);
        boolean c = take(naive, "C", LONG_MILLIS);
        narration.damage(a && b && deleted == 1 && c, "A has deleted B's lock. C has it now too, while B still works.");
        naive.del(KEY);

        lateRelease(redis, "The same with Holdfast");
    }

    private void timeAsOwner(Jedis naive, String redis) throws InterruptedException {
        narration.chapter("3. A time as owner, compared before DEL");
        long time = sameMillisecond();
        narration.event("A and B read the clock in the same millisecond: both are the owner '" + time + "'.");
        String owner = Long.toString(time);
        boolean a = take(naive, owner, SHORT_MILLIS);
        narration.step("A", "SET NX PX " + SHORT_MILLIS + " has the lock, but works for longer than that");
        awaitGone(naive);
        boolean b = take(naive, owner, LONG_MILLIS);
        narration.step("B", "has waited and has the lock");
        long deleted = (Long) naive.eval(COMPARE_AND_DELETE, List.of(KEY), List.of(owner));
        narration.step("A", "is done and deletes the lock if it is its own: " + deleted + " deleted");
        boolean c = take(naive, "C", LONG_MILLIS);
        narration.damage(
                a && b && deleted == 1 && c, "The comparison did not help. C has the lock now too, while B works.");
        naive.del(KEY);

        lateRelease(redis, "The same with Holdfast, where an owner is 128 random bits");
    }

    /** A is stopped beyond its lease, B takes over, A releases what is not its own any more. */
    private void lateRelease(String redis, String title) throws InterruptedException {
        narration.part(title);
        List<Player> all = users(redis, "A", "B", "C");
        Player a = all.get(0);
        Player b = all.get(1);
        Player c = all.get(2);
        narration.step("A", "has the lock, token " + a.ask("acquire " + LEASE, "token"));
        try (Pause pause = Pause.of(a.pid())) {
            narration.event("A is stopped beyond its lease (kill -STOP " + a.pid() + ").");
            narration.step("B", "has the lock, token " + b.ask("acquire 1m", "token"));
        }
        String released = a.ask("release", "released");
        narration.step("A", "goes on and releases: release() is " + released);
        c.tell("try");
        String tried = c.hear(Duration.ofMinutes(1)).orElse("");
        String held = b.ask("look", "held");
        narration.safe(
                released.equals("false") && held.equals("true") && tried.equals("taken"),
                "Nothing happened to B's lock: for B isHeld() is " + held + ", for C it is " + tried + ".");
        b.ask("release", "released");
        all.forEach(Player::close);
    }

    private void failover(LentServers servers, String sentinel, DemoDatabase database)
            throws SQLException, InterruptedException {
        narration.chapter("4. A failover that forgets the lock");
        database.execute(Account.CREATION, Account.CLEAR, Account.FILL);
        List<Player> both = users(sentinel, "A", "B");
        Player a = both.get(0);
        Player b = both.get(1);
        a.ask("account " + database.url(), "there");
        b.ask("account " + database.url(), "there");
        String master = servers.ask("hold-replicas");
        boolean taken;
        try (Jedis naive = new Jedis(URI.create(master))) {
            taken = take(naive, "A", LONG_MILLIS);
        }
        narration.step("A", "SET NX PX on the master has the lock, which has not reached a replica yet");
        long begin = System.nanoTime();
        long first = Long.parseLong(a.ask("acquire " + LONG_LEASE.toSeconds() + "s", "token"));
        a.ask("read guarded", "read");
        String promoted = servers.ask("lose-master");
        narration.event("The master dies. Sentinel promotes a replica, which knows nothing of the lock.");
        boolean again;
        try (Jedis naive = new Jedis(URI.create(promoted))) {
            again = take(naive, "B", LONG_MILLIS);
        }
        narration.damage(taken && again, "B has the lock too. Nothing tells A, and nothing tells their writes apart.");

        narration.part("The same with Holdfast, in the same failover");
        narration.step("A", "had the lock, token " + first + "; the new master does not know it");
        long second = Long.parseLong(b.ask("acquire 1m", "token"));
        boolean leaseIsOver = System.nanoTime() - begin > LONG_LEASE.toNanos();
        narration.step(
                "B",
                "gets the lock, token " + second + ": tokens grow although the counter was lost"
                        + (leaseIsOver
                                ? " (the failover took longer than A's lease, so A's time was over anyway)"
                                : ""));
        b.ask("read guarded", "read");
        b.ask("withdraw 30 guarded", "wrote");
        a.tell("withdraw 50 guarded");
        String late = a.hear(Duration.ofMinutes(1)).orElse("");
        narration.step("A", "writes with its old token: " + late);
        String reason = a.ask("await-loss", "lost");
        long balance = database.number(Account.LOOK);
        narration.safe(
                second > first && late.startsWith("refused StaleTokenException") && balance == Account.BALANCE - 30,
                "No store can undo a forgetful failover, but A's write was refused, and A was told: onLost(" + reason
                        + ").");
        b.ask("release", "released");
    }

    private Player user(String name) {
        Player started = Player.start(name, LockUser.class);
        players.add(started);
        return started;
    }

    /** Starts some at once, and waits until all of them know where the locks are. */
    private List<Player> users(String lockUrl, String... names) throws InterruptedException {
        List<Player> users = Stream.of(names).map(this::user).toList();
        users.forEach(each -> each.tell("locks " + lockUrl));
        for (Player each : users) {
            each.expect("there");
        }
        return users;
    }

    private static boolean take(Jedis client, String owner, long millis) {
        return client.set(KEY, owner, SetParams.setParams().nx().px(millis)) != null;
    }

    private static void awaitGone(Jedis client) {
        for (int glances = 0; client.exists(KEY); glances++) {
            if (glances == MOST_GLANCES) {
                throw new DemoException("Redis does not let a key expire");
            }
            Curtain.ensureUp();
            LockSupport.parkNanos(GLANCE.toNanos());
        }
    }

    /** Two threads read the clock at the same time, until they see the same. */
    private static long sameMillisecond() throws InterruptedException {
        CyclicBarrier start = new CyclicBarrier(2);
        for (int readings = 0; readings < MOST_READINGS; readings++) {
            CompletableFuture<Long> other = CompletableFuture.supplyAsync(() -> readAt(start));
            long mine = readAt(start);
            if (mine == other.join()) {
                return mine;
            }
        }
        throw new DemoException("two threads never saw the same millisecond");
    }

    private static long readAt(CyclicBarrier start) {
        try {
            start.await();
        } catch (BrokenBarrierException broken) {
            throw new DemoException("a thread was interrupted", broken);
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
            throw new DemoException("a thread was interrupted", ended);
        }
        return System.currentTimeMillis();
    }
}
