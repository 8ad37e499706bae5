package dev.holdfast.rig;

import dev.holdfast.rig.mariadb.MariaDb;
import dev.holdfast.rig.mysql.MySql;
import dev.holdfast.rig.postgres.Postgres;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.rig.redis.RedisSentinels;
import dev.holdfast.rig.redis.RedisSettings;
import dev.holdfast.rig.zookeeper.ZooKeeperNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Lends servers to another program, which starts this in a process of its own. For each kind that is named it prints
 * {@code KIND at URL}, or {@code KIND missing REASON} if it cannot run here. Then it obeys lines on standard input, which
 * it repeats before its answer, and ends everything when there are no more. Used by one thread.
 */
public final class Lender {
    private static final int REDLOCK_NODES = 5;

    private final Rig rig;
    private @Nullable RedisSentinels sentinels;

    private Lender(Rig rig) {
        this.rig = rig;
    }

    /**
     * Lends until standard input ends.
     *
     * @param kinds redis, sentinel, redlock, postgresql, mariadb, mysql, zookeeper
     * @throws IOException if standard input fails
     * @throws InterruptedException if interrupted
     */
    public static void main(String[] kinds) throws IOException, InterruptedException {
        try (Rig rig = new Rig();
                BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            Lender lender = new Lender(rig);
            for (String kind : kinds) {
                say(kind + " " + lender.lend(kind));
            }
            String order = orders.readLine();
            while (order != null) {
                say(order + " " + lender.obey(order));
                order = orders.readLine();
            }
        }
    }

    private String lend(String kind) throws InterruptedException {
        try {
            return "at " + start(kind);
        } catch (CannotRunException cannot) {
            return "missing " + cannot.getMessage();
        }
    }

    private String start(String kind) throws InterruptedException {
        return switch (kind) {
            case "redis" -> RedisNode.start(rig).url();
            case "sentinel" -> {
                RedisSentinels group = RedisSentinels.start(rig, RedisSettings.defaults());
                sentinels = group;
                yield group.url();
            }
            case "redlock" ->
                "redlock://"
                        + RedisNode.startSeveral(rig, REDLOCK_NODES, RedisSettings.defaults()).stream()
                                .map(node -> "127.0.0.1:" + node.port())
                                .collect(Collectors.joining(","))
                        + "#fresh=true";
            case "postgresql" -> Postgres.start(rig).access().jdbcUrlWithCredentials();
            case "mariadb" -> MariaDb.start(rig).access().jdbcUrlWithCredentials();
            case "mysql" -> MySql.start(rig).access().jdbcUrlWithCredentials();
            case "zookeeper" -> "zookeeper://" + ZooKeeperNode.start(rig).address();
            default -> throw new IllegalArgumentException("there is no server of the kind " + kind);
        };
    }

    /** {@return where the master is now} */
    private String obey(String order) throws InterruptedException {
        RedisSentinels group = sentinels;
        if (group == null) {
            throw new IllegalArgumentException(order + " needs a group with sentinels");
        }
        return switch (order) {
            case "hold-replicas" -> {
                String master = group.master().url();
                group.holdReplicas();
                yield master;
            }
            case "lose-master" -> group.loseMaster().url();
            default -> throw new IllegalArgumentException("unknown order " + order);
        };
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
