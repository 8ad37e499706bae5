package dev.holdfast.torture.tokens;

import dev.holdfast.StoreTraits.Promise;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.rig.redis.RedisSettings;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Takes very many grants through the steps of a store, by rivals at two clients, while servers lose their memory at even
 * distances. Counts tokens that repeat or go back. On one Redis the whole memory is lost each time, by FLUSHALL and by a
 * restart in turns; on Redlock that of one node after another, each when the one before votes again.
 */
public final class TokenRun {
    private static final Duration LEASE = Duration.ofSeconds(1);
    private static final int REDLOCK_NODES = 5;
    private static final int GROUPS = 2;
    private static final int RIVALS = 2;

    /** Where several names are one atomic step, so many are taken at once: a script grants faster than a network asks. */
    private static final int NAMES_AT_ONCE = 32;

    private static final Duration LOOK = Duration.ofMillis(5);
    private static final Duration STUCK = Duration.ofMinutes(1);

    private final long grants;
    private final int losses;
    private final PrintStream out;
    private final TokenWorker.Counts counts = new TokenWorker.Counts();
    private final List<TokenLog> logs = new ArrayList<>();

    /**
     * Makes a run.
     *
     * @param grants how many, at least
     * @param losses how often memory is lost meanwhile
     * @param out where the result goes
     */
    public TokenRun(long grants, int losses, PrintStream out) {
        if (grants < 1 || losses < 1) {
            throw new IllegalArgumentException("there must be at least one grant and one loss of memory");
        }
        this.grants = grants;
        this.losses = losses;
        this.out = out;
    }

    /**
     * Runs.
     *
     * @param store redis or redlock
     * @return whether no token repeated or went back
     * @throws InterruptedException if interrupted
     */
    public boolean on(String store) throws InterruptedException {
        try (Rig rig = new Rig()) {
            return switch (store) {
                case "redis" -> onOneServer(rig);
                case "redlock" -> onNodes(rig);
                default -> throw new IllegalArgumentException("--tokens needs --rig redis or redlock, not " + store);
            };
        }
    }

    private boolean onOneServer(Rig rig) throws InterruptedException {
        RedisNode node = RedisNode.start(rig);
        return run("redis", node.url(), loss -> {
            if (loss % 2 == 0) {
                node.ask("FLUSHALL");
            } else {
                node.restartEmpty();
            }
        });
    }

    private boolean onNodes(Rig rig) throws InterruptedException {
        List<RedisNode> nodes = RedisNode.startSeveral(rig, REDLOCK_NODES, RedisSettings.defaults());
        List<String> addresses =
                nodes.stream().map(node -> "127.0.0.1:" + node.port()).toList();
        String url = "redlock://" + String.join(",", addresses) + "#fresh=true&nodeTimeout=300ms&maxLease="
                + LEASE.toMillis() + "ms";
        return run("redlock", url, loss -> {
            nodes.get(loss % REDLOCK_NODES).restartEmpty();
            // A node that came back empty waits for the longest lease before it votes; the next one is not lost before.
            TimeUnit.NANOSECONDS.sleep(LEASE.multipliedBy(2).toNanos());
        });
    }

    /** Loses memory for the n-th time. */
    @FunctionalInterface
    private interface Loss {
        void happen(int number) throws InterruptedException;
    }

    private boolean run(String name, String url, Loss loss) throws InterruptedException {
        long began = System.nanoTime();
        List<Thread> threads = new ArrayList<>();
        int lost = 0;
        try (TokenClient one = TokenClient.connect(url, LEASE);
                TokenClient other = TokenClient.connect(url, LEASE)) {
            int names = one.store().traits().promises(Promise.ATOMIC_NAMES) ? NAMES_AT_ONCE : 1;
            End over = new End();
            for (int group = 0; group < GROUPS; group++) {
                Map<String, TokenLog> shared = logs("tokens-" + group, names);
                for (int rival = 0; rival < RIVALS; rival++) {
                    TokenClient client = rival % 2 == 0 ? one : other;
                    threads.add(new Thread(
                            new TokenWorker(client.store(), shared, LEASE, counts, over), "tokens-" + group + rival));
                }
            }
            threads.forEach(Thread::start);
            while (lost < losses) {
                await((lost + 1) * grants / (losses + 1));
                loss.happen(lost);
                lost++;
            }
            await(grants);
            over.isOver = true;
            for (Thread thread : threads) {
                thread.join();
            }
        } finally {
            threads.forEach(Thread::interrupt);
        }
        return report(name, lost, Duration.ofNanos(System.nanoTime() - began));
    }

    private Map<String, TokenLog> logs(String prefix, int names) {
        Map<String, TokenLog> shared = new LinkedHashMap<>();
        for (int i = 0; i < names; i++) {
            TokenLog log = new TokenLog();
            logs.add(log);
            shared.put(prefix + "-" + i, log);
        }
        return shared;
    }

    private void await(long wanted) throws InterruptedException {
        long last = counts.grants.sum();
        long since = System.nanoTime();
        while (counts.grants.sum() < wanted) {
            TimeUnit.NANOSECONDS.sleep(LOOK.toNanos());
            if (counts.grants.sum() != last) {
                last = counts.grants.sum();
                since = System.nanoTime();
            } else if (System.nanoTime() - since > STUCK.toNanos()) {
                throw new IllegalStateException("nothing was granted for a minute, after " + last + " grants");
            }
        }
    }

    private boolean report(String name, int lost, Duration took) {
        long repeated = logs.stream().mapToLong(TokenLog::repeated).sum();
        long wentBack = counts.wentBack.sum();
        out.printf(
                Locale.ROOT,
                "%s: grants=%d losses_of_memory=%d unknown=%d tokens_repeated=%d tokens_went_back=%d seconds=%d%n",
                name,
                counts.grants.sum(),
                lost,
                counts.unknown.sum(),
                repeated,
                wentBack,
                took.toSeconds());
        return repeated == 0 && wentBack == 0;
    }

    /** Ends the workers. */
    private static final class End implements BooleanSupplier {
        private volatile boolean isOver;

        @Override
        public boolean getAsBoolean() {
            return isOver;
        }
    }
}
