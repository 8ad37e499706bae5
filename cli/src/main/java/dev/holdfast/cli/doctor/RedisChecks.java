package dev.holdfast.cli.doctor;

import dev.holdfast.redis.wire.Address;
import java.util.Map;

/** What is good and bad about one Redis server, judged by what it says about itself. */
final class RedisChecks {
    /** The settings that are looked at. */
    static final String[] SETTINGS = {
        "maxmemory-policy",
        "appendonly",
        "appendfsync",
        "save",
        "min-replicas-to-write",
        "cluster-require-full-coverage"
    };

    private static final String OLDEST = "6.2";
    private static final double NEARLY_FULL = 0.9;
    private static final int FEWEST_SENTINELS = 3;

    private final Address.Kind kind;
    private final Map<String, String> info;
    private final Findings findings;

    RedisChecks(Address.Kind kind, Map<String, String> info, Findings findings) {
        this.kind = kind;
        this.info = info;
        this.findings = findings;
    }

    /** A server that keeps locks. */
    void server() {
        version();
        if (!said("role", "master").equals("master")) {
            findings.danger(
                    "replica",
                    "it is a replica, which cannot grant locks",
                    "name its master, or use redis+sentinel://");
        }
        replicas();
        if (kind != Address.Kind.CLUSTER && said("cluster_enabled", "0").equals("1")) {
            findings.danger(
                    "cluster", "it is a member of a cluster, and has some of the keys only", "use redis+cluster://");
        }
        writes();
        memory();
    }

    /** A server that may have to take over. */
    void replica() {
        version();
        if (!said("master_link_status", "up").equals("up")) {
            findings.caution(
                    "replica-link",
                    "the replica has no connection to its master",
                    "it misses locks that are granted now");
        }
    }

    private void version() {
        String version = info.getOrDefault("valkey_version", said("redis_version", "unknown"));
        String name = info.containsKey("valkey_version") ? "Valkey " : "Redis ";
        if (Versions.isOlder(version, OLDEST)) {
            findings.danger("version", name + version + " is too old", "use " + OLDEST + " or later");
        } else {
            findings.ok("version", name + version);
        }
    }

    private void replicas() {
        String replicas = said("connected_slaves", "0");
        if (replicas.equals("0")) {
            return;
        }
        if (kind == Address.Kind.REDLOCK) {
            findings.danger(
                    "replicas",
                    "a node of a Redlock has replicas (" + replicas + ")",
                    "take them away: a promoted replica may vote for a second holder");
        } else if (kind == Address.Kind.ONE) {
            findings.danger(
                    "replicas",
                    "it has replicas (" + replicas + "), but redis:// does not follow a promotion",
                    "use redis+sentinel:// or redis+cluster://");
        }
    }

    private void writes() {
        if (said("loading", "0").equals("1")) {
            findings.caution("loading", "it is still loading its data", "ask again later");
        }
        if (said("rdb_last_bgsave_status", "ok").equals("err")
                || said("aof_last_write_status", "ok").equals("err")) {
            findings.danger(
                    "disk",
                    "its last write to the disk failed, so it may refuse locks and forget them",
                    "look at its log and its disk");
        }
    }

    private void memory() {
        double most = number("maxmemory");
        if (most > 0 && number("used_memory") > NEARLY_FULL * most) {
            findings.caution("memory", "its memory is nearly full", "raise maxmemory: a full server refuses locks");
        }
    }

    void settings(Map<String, String> settings) {
        if (settings.isEmpty()) {
            findings.unknown(
                    "settings",
                    "this user may not look at the settings of the server (CONFIG GET)",
                    "look yourself at maxmemory-policy, appendonly and appendfsync, or ask with a user that may");
            return;
        }
        String policy = settings.getOrDefault("maxmemory-policy", "noeviction");
        if (policy.equals("noeviction")) {
            findings.ok("eviction", "maxmemory-policy is noeviction");
        } else {
            findings.danger(
                    "eviction",
                    "maxmemory-policy is " + policy + ": a full server deletes locks that are held",
                    "CONFIG SET maxmemory-policy noeviction, or a server of its own for locks");
        }
        persistence(
                settings.getOrDefault("appendonly", "no").equals("yes"),
                settings.getOrDefault("appendfsync", "everysec"),
                !settings.getOrDefault("save", "").isEmpty());
        if (kind == Address.Kind.SENTINEL
                && settings.getOrDefault("min-replicas-to-write", "0").equals("0")) {
            findings.caution(
                    "min-replicas",
                    "min-replicas-to-write is 0: a master that is cut off goes on granting locks for a while",
                    "set min-replicas-to-write 1 and min-replicas-max-lag 10, or let what locks protect check the token");
        }
        if (kind == Address.Kind.CLUSTER
                && settings.getOrDefault("cluster-require-full-coverage", "no").equals("yes")) {
            findings.caution(
                    "full-coverage",
                    "cluster-require-full-coverage is yes: one slot that nobody serves stops all locks",
                    "set it to no");
        }
    }

    private void persistence(boolean appends, String fsync, boolean saves) {
        if (appends && fsync.equals("always")) {
            findings.ok("persistence", "every write is on the disk before it is answered (appendfsync always)");
            return;
        }
        String how = appends ? "appendfsync is " + fsync : "appendonly is off";
        if (kind == Address.Kind.REDLOCK) {
            if (!appends && !saves) {
                findings.ok("persistence", "it keeps nothing over a restart, and knows that (no appendonly, no save)");
            } else {
                findings.danger(
                        "persistence",
                        how + ": a restart brings an older memory back, and the node may vote for a second holder",
                        "appendonly yes and appendfsync always; or no persistence at all (appendonly no, save \"\")");
            }
        } else if (kind == Address.Kind.ONE || !appends) {
            findings.danger(
                    "persistence",
                    how + ": a restart forgets locks that are held"
                            + (kind == Address.Kind.ONE ? "" : ", also on the replicas that copy the empty server"),
                    "appendonly yes and appendfsync always, or let what locks protect check the token");
        } else {
            findings.caution(
                    "persistence",
                    how + ": a restart that is quicker than a failover forgets the last locks",
                    "appendfsync always, or let what locks protect check the token");
        }
    }

    /** Whether everybody who can reach it may do what we may. */
    void login(boolean loggedIn) {
        if (loggedIn) {
            findings.ok("login", "it asks for a password");
        } else {
            findings.caution(
                    "login",
                    "it lets us in without a password, as it does everybody who can reach it",
                    "give the locks a user of their own (ACL SETUSER)");
        }
    }

    /** What a sentinel says about its master. */
    static void sentinel(Map<String, String> master, Findings findings) {
        int sentinels = 1 + Integer.parseInt(master.getOrDefault("num-other-sentinels", "0"));
        int quorum = Integer.parseInt(master.getOrDefault("quorum", "0"));
        if (sentinels < FEWEST_SENTINELS) {
            findings.danger(
                    "sentinels", "there are only " + sentinels + " sentinels", "use three, on different machines");
        } else if (quorum <= 1) {
            findings.caution(
                    "quorum",
                    "one sentinel is enough to call the master down (quorum 1)",
                    "set the quorum to 2 or more");
        } else {
            findings.ok("sentinels", sentinels + " sentinels, quorum " + quorum);
        }
        String flags = master.getOrDefault("flags", "");
        if (flags.contains("down")) {
            findings.caution("master-down", "the sentinel believes that the master is down", "wait for the failover");
        }
    }

    private double number(String name) {
        String text = said(name, "0");
        return text.matches("\\d{1,18}") ? Long.parseLong(text) : 0;
    }

    private String said(String name, String otherwise) {
        return info.getOrDefault(name, otherwise);
    }
}
