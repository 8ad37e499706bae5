package dev.holdfast.bench.ruler;

import dev.holdfast.Holdfast;
import dev.holdfast.LockOptions;
import dev.holdfast.micrometer.HoldfastMetrics;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Whose locks are measured. Each is set up as its documentation says, with its own defaults. */
enum Maker {
    HOLDFAST("Holdfast", "shipped defaults", ""),
    HOLDFAST_STICKY("Holdfast, sticky", "sticky for 10 s, otherwise shipped defaults", ""),
    HOLDFAST_METRICS("Holdfast, metrics", "HoldfastMetrics as listener, otherwise shipped defaults", ""),
    HOLDFAST_LOCKED("Holdfast, @Locked", "an annotated method with the name in its parameter; Spring Boot", ""),
    HOLDFAST_HTTP(
            "Holdfast over HTTP", "holdfast serve in another process; a plain client, one connection a thread", ""),
    HOLDFAST_ONE_NODE("Holdfast, one node", "redis:// on the first of the nodes, otherwise shipped defaults", ""),
    HOLDFAST_BEFORE("Holdfast before", "the checkout given with --before; shipped defaults", ""),
    HOLDFAST_ADVISORY("Holdfast, advisory", "strategy=advisory, otherwise shipped defaults", ""),
    JDK("ReentrantLock", "of this JDK, within one process", ""),
    JDK_FAIR("fair ReentrantLock", "of this JDK, within one process", ""),
    REDISSON("Redisson RLock", "the address, otherwise defaults; several names: MultiLock", "redisson"),
    REDISSON_FAIR("Redisson fair lock", "the address, otherwise defaults", "redisson"),
    REDISSON_FENCED("Redisson fenced lock", "the address, otherwise defaults; lockAndGetToken()", "redisson"),
    SPRING_REDIS(
            "Spring RedisLockRegistry",
            "PUB_SUB_LOCK, Lettuce; with a lease of its own a renewal scheduler",
            "spring-integration-redis"),
    LOCK4J("lock4j", "LockTemplate with RedissonLockExecutor and defaults", "lock4j-core"),
    JEDIS("bare Jedis", "SET NX PX and a compare-and-delete script, up to 128 connections", "jedis"),
    JEDIS_NODES(
            "bare Jedis, all nodes",
            "the same to all nodes at once; a majority's answers are waited for, in a fixed order",
            "jedis"),
    SPRING_JDBC(
            "Spring JdbcLockRegistry",
            "DefaultLockRepository, on PostgreSQL with ON CONFLICT DO NOTHING; HikariCP with 10 connections",
            "spring-integration-jdbc"),
    SHEDLOCK(
            "ShedLock",
            "JdbcTemplate, the database's time; HikariCP with 10 connections",
            "shedlock-provider-jdbc-template"),
    ROW("bare insert + delete", "by primary key, autocommit; HikariCP with 10 connections", ""),
    ADVISORY("bare advisory lock", "pg_advisory_lock and pg_advisory_unlock on one connection", ""),
    CURATOR(
            "Curator InterProcessMutex",
            "ExponentialBackoffRetry(1000, 3), otherwise defaults; several names: InterProcessMultiLock",
            "curator-recipes"),
    NODE("bare create + delete", "of one ephemeral node, on one session", "zookeeper"),
    JETCD("jetcd lock", "a lease for each thread, kept alive by the client; otherwise defaults", "jetcd-core"),
    KEY("bare put + delete", "of one key with a lease, by gRPC's blocking stub on one connection", "grpc-netty");

    private static final Duration STICKY = Duration.ofSeconds(10);

    private final String title;
    private final String setUp;
    private final String artifact;

    Maker(String title, String setUp, String artifact) {
        this.title = title;
        this.setUp = setUp;
        this.artifact = artifact;
    }

    String title() {
        return title;
    }

    /** How it is set up, and its version where that is another one than ours. */
    String setUp() {
        return artifact.isEmpty() ? setUp : ClassPath.versionOf(artifact) + "; " + setUp;
    }

    /** The name in JSON, on command lines, and in the names of locks. */
    String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** What a process is told to open: another version of us calls itself as we do. */
    String wordInProcess() {
        return this == HOLDFAST_BEFORE ? HOLDFAST.word() : word();
    }

    /** What its processes are started with. */
    String classPath() {
        return this == HOLDFAST_BEFORE
                ? ClassPath.before().orElseThrow(() -> new IllegalStateException("there is nothing to compare with"))
                : System.getProperty("java.class.path");
    }

    static Maker of(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT).replace('-', '_'));
    }

    /** Whether it is what every lock costs at least, and no lock that anybody could use. */
    boolean isFloor() {
        return this == JEDIS || this == JEDIS_NODES || this == ROW || this == ADVISORY || this == NODE || this == KEY;
    }

    /** Whether it is Holdfast, however it is set up. */
    boolean isOurs() {
        return word().startsWith(HOLDFAST.word());
    }

    /**
     * Opens a client.
     *
     * @param lease the lease, TTL, watchdog or session time; empty for its own default. Floors know none
     */
    Locks open(String url, Optional<Duration> lease) {
        return switch (this) {
            case HOLDFAST -> new HoldfastLocks(session(url, lease), options(lease));
            case HOLDFAST_STICKY -> new HoldfastLocks(url, options(lease).withStickyFor(STICKY));
            case HOLDFAST_METRICS ->
                new HoldfastLocks(
                        Holdfast.builder()
                                .url(url)
                                .listener(HoldfastMetrics.of(new SimpleMeterRegistry()))
                                .build(),
                        options(lease));
            case HOLDFAST_LOCKED -> new LockedCalls(url);
            case HOLDFAST_HTTP -> new HttpLocks(url);
            case HOLDFAST_ONE_NODE -> new HoldfastLocks(firstNode(url), options(lease));
            case HOLDFAST_BEFORE -> throw new IllegalStateException("only a process of the other checkout opens it");
            case HOLDFAST_ADVISORY -> new HoldfastLocks(url + "#strategy=advisory", options(lease));
            case JDK -> new JdkLocks(false);
            case JDK_FAIR -> new JdkLocks(true);
            case REDISSON, REDISSON_FAIR, REDISSON_FENCED -> new RedissonLocks(this, url, lease);
            case SPRING_REDIS -> new SpringRedisLocks(URI.create(url), lease);
            case LOCK4J -> new Lock4jLocks(url);
            case JEDIS -> new JedisLocks(URI.create(firstNode(url)));
            case JEDIS_NODES -> new JedisNodesLocks(nodes(url));
            case SPRING_JDBC -> new SpringJdbcLocks(url, lease);
            case SHEDLOCK -> new ShedLocks(url);
            case ROW -> new RowLocks(url);
            case ADVISORY -> new AdvisoryLocks(url);
            case CURATOR -> new CuratorLocks(URI.create(url).getAuthority(), lease);
            case NODE -> new NodeLocks(URI.create(url).getAuthority());
            case JETCD -> new JetcdLocks(URI.create(url).getAuthority(), lease);
            case KEY -> new KeyLocks(URI.create(url).getAuthority());
        };
    }

    private static String firstNode(String url) {
        return url.startsWith("redlock:") ? "redis://" + nodes(url).get(0) : url;
    }

    /** Hosts and ports. */
    private static List<String> nodes(String url) {
        return List.of(
                url.replaceFirst("^redlock://", "").replaceFirst("#.*$", "").split(",", -1));
    }

    private static LockOptions options(Optional<Duration> lease) {
        return lease.map(LockOptions.defaults()::withLeaseTime).orElse(LockOptions.defaults());
    }

    /** On ZooKeeper and etcd the session is the lease. */
    private static String session(String url, Optional<Duration> lease) {
        return lease.filter(any -> url.startsWith("zookeeper:") || url.startsWith("etcd:"))
                .map(time -> url + "#session=" + time.toMillis() + "ms")
                .orElse(url);
    }
}
