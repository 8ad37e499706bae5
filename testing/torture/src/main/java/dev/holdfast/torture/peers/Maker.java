package dev.holdfast.torture.peers;

import dev.holdfast.LockOptions;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;

/** Whose locks are tortured. Each is set up as its documentation says, with the lease of the run. */
public enum Maker {
    /** This library, through the same eyes as the others; judged by the properties, not only counted. */
    HOLDFAST("redis"),
    /** This library through two instances of its server, over HTTP; judged by the properties, not only counted. */
    HTTP("redis"),
    /** Redisson's RLock. */
    REDISSON("redis"),
    /** Redisson's fair lock. */
    REDISSON_FAIR("redis"),
    /** Redisson's fenced lock. */
    REDISSON_FENCED("redis"),
    /** Spring Integration's registry on Redis. */
    SPRING_REDIS("redis"),
    /** lock4j on Redisson. */
    LOCK4J("redis"),
    /** Spring Integration's registry on a database. */
    SPRING_JDBC("postgres"),
    /** ShedLock on a database. */
    SHEDLOCK("postgres"),
    /** Curator's InterProcessMutex. */
    CURATOR("zookeeper"),
    /** The lock service of etcd through jetcd. */
    JETCD("etcd");

    private final String rig;

    Maker(String rig) {
        this.rig = rig;
    }

    /** {@return the rig that it is tortured on if nothing else is said} */
    public String rig() {
        return rig;
    }

    /** {@return its name on the command line} */
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** {@return whether a history of it is judged by the properties: it is ours} */
    public boolean isJudged() {
        return this == HOLDFAST || this == HTTP;
    }

    /**
     * Finds one.
     *
     * @param word its name on the command line
     * @return the maker
     */
    public static Maker named(String word) {
        return Arrays.stream(values())
                .filter(each -> each.word().equals(word))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no maker " + word + "; there are "
                        + Arrays.stream(values()).map(Maker::word).toList()));
    }

    /** Makes what has to be there before the first client, such as tables. */
    void prepare(String url) {
        if (this == SPRING_JDBC || this == SHEDLOCK) {
            Tables.create(url);
        }
    }

    /** Opens a client. */
    Peer open(String url, Duration lease) {
        return switch (this) {
            case HOLDFAST -> new HoldfastPeer(url, LockOptions.defaults().withLeaseTime(lease));
            case HTTP -> new HttpPeer(url, lease);
            case REDISSON, REDISSON_FAIR, REDISSON_FENCED -> new RedissonPeer(this, url, lease);
            case SPRING_REDIS -> new SpringRedisPeer(url, lease);
            case LOCK4J -> new Lock4jPeer(url, lease);
            case SPRING_JDBC -> new SpringJdbcPeer(url, lease);
            case SHEDLOCK -> new ShedLockPeer(url, lease);
            case CURATOR -> new CuratorPeer(servers(url), lease);
            case JETCD -> new JetcdPeer(servers(url), lease);
        };
    }

    /** Hosts and ports of our URLs, without what is ours. */
    private static String servers(String url) {
        return url.replaceFirst("^[a-z]+://", "").replaceFirst("[/#].*$", "");
    }
}
