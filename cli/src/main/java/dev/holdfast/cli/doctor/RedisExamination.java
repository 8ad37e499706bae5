package dev.holdfast.cli.doctor;

import dev.holdfast.Credentials;
import dev.holdfast.redis.wire.Access;
import dev.holdfast.redis.wire.Address;
import dev.holdfast.redis.wire.ConnectionSettings;
import dev.holdfast.redis.wire.Deadline;
import dev.holdfast.redis.wire.HostAndPort;
import dev.holdfast.redis.wire.Settings;
import dev.holdfast.spi.StoreUri;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisException;

/** Looks at Redis servers: one, those behind sentinels, the members of a cluster, the nodes of a Redlock. */
final class RedisExamination implements Examination {
    /** More than one server behind an address shows itself soon: each connection may lead to another. */
    private static final int LOOKS_BEHIND_ONE_ADDRESS = 6;

    private static final int SLOTS = 16_384;

    @Override
    public boolean knows(String scheme) {
        return scheme.startsWith("redis") || scheme.startsWith("redlock");
    }

    @Override
    public void examine(Subject subject, Findings findings) {
        Address address = Address.of(subject.uri());
        new Look(address, subject.uri(), findings).look();
    }

    /** One examination. */
    private static final class Look {
        private final Address address;
        private final StoreUri uri;
        private final Findings findings;
        private final ConnectionSettings connections;
        private final RedisServer.Access access;
        private final ClockLook clocks = new ClockLook();

        /** Where a server was found, by what it calls itself as long as it runs. */
        private final Map<String, HostAndPort> known = new HashMap<>();

        Look(Address address, StoreUri uri, Findings findings) {
            this.address = address;
            this.uri = uri;
            this.findings = findings;
            Settings settings = new Settings(
                    "doctor",
                    1,
                    Duration.ofMillis(Subject.TIMEOUT_MILLIS),
                    null,
                    () -> {
                        throw new IllegalStateException("nobody waits here");
                    },
                    "doctor");
            this.connections = ConnectionSettings.of(address, settings, uri, Access.BY_URL);
            this.access = new RedisServer.Access(credentials(address.user(), address.password()), encryption());
        }

        private @Nullable SSLContext encryption() {
            return address.tls()
                    ? TlsFiles.ofPem(
                            uri.option("ca").orElse(null),
                            uri.option("cert").orElse(null),
                            uri.option("key").orElse(null))
                    : null;
        }

        private static @Nullable Credentials credentials(@Nullable String user, @Nullable String password) {
            if (password == null) {
                return null;
            }
            return user == null ? Credentials.ofPassword(password) : Credentials.of(user, password);
        }

        /** Where a server is reached that has an address; only the URL says so, no program. */
        private HostAndPort reach(HostAndPort told) {
            return connections.reach(told, Deadline.in(System::nanoTime, Duration.ofMillis(Subject.TIMEOUT_MILLIS)));
        }

        void look() {
            HostAndPort first = reach(address.hosts().get(0));
            SSLContext encryption = access.encryption();
            if (encryption != null) {
                TlsFiles.lookAtCertificate(first.host(), first.port(), encryption, findings);
            }
            switch (address.kind()) {
                case ONE -> {
                    server(address.hosts().get(0), findings);
                    behindOneAddress(address.hosts().get(0));
                }
                case REDLOCK -> address.hosts().forEach(host -> server(host, findings.at(host.toString())));
                case SENTINEL -> sentinels();
                case CLUSTER -> cluster();
            }
            clocks.compare(findings);
        }

        /** Looks at one server that has data. */
        private void server(HostAndPort host, Findings here) {
            try (RedisServer server = RedisServer.connect(reach(host), access)) {
                Map<String, String> info = server.info();
                if (info.isEmpty()) {
                    here.unknown(
                            "settings",
                            "this user may not look at the server (INFO)",
                            "ask with a user that may use INFO and CONFIG GET");
                } else {
                    RedisChecks checks = new RedisChecks(address.kind(), info, here);
                    checks.server();
                    checks.settings(server.settings(RedisChecks.SETTINGS));
                    checks.login(access.credentials() != null);
                    twins(host, info, here);
                }
                clocks.look(server::timeMillis, here);
            } catch (JedisException silent) {
                silent(here, silent);
            }
        }

        private static void silent(Findings here, JedisException why) {
            String word = String.valueOf(why.getMessage()).replaceFirst("(?s)[^A-Z].*", "");
            boolean refused = Set.of("NOAUTH", "WRONGPASS", "NOPERM").contains(word);
            here.unknown(
                    "reachable",
                    refused ? "the server does not let us in (" + word + ")" : "the server does not answer",
                    refused ? "give the user and password of the locks" : "look whether it runs and can be reached");
        }

        /** A server that is named twice would have two votes. */
        private void twins(HostAndPort host, Map<String, String> info, Findings here) {
            HostAndPort before = known.putIfAbsent(info.getOrDefault("run_id", host.toString()), host);
            if (before != null && address.kind() == Address.Kind.REDLOCK) {
                here.danger(
                        "same-server",
                        "it is the same server as " + before + ", which has two votes so",
                        "name each server once");
            }
        }

        private void behindOneAddress(HostAndPort host) {
            Set<String> servers = new HashSet<>(known.keySet());
            for (int i = 0; i < LOOKS_BEHIND_ONE_ADDRESS; i++) {
                try (RedisServer server = RedisServer.connect(reach(host), access)) {
                    String id = server.info().get("run_id");
                    if (id != null) {
                        servers.add(id);
                    }
                } catch (JedisException silent) {
                    return;
                }
            }
            if (servers.size() > 1) {
                findings.danger(
                        "several-servers",
                        "different servers answer at this one address, and a lock on one is not seen on another",
                        "go round the proxy or load balancer; use redis+sentinel:// or redis+cluster://");
            } else if (!servers.isEmpty()) {
                findings.ok("several-servers", "one server answers at this address");
            }
        }

        private void sentinels() {
            Set<HostAndPort> masters = new LinkedHashSet<>();
            Set<HostAndPort> replicas = new LinkedHashSet<>();
            int answered = 0;
            for (HostAndPort host : address.hosts()) {
                Findings here = findings.at(host.toString());
                try (RedisServer sentinel = RedisServer.connect(reach(host), sentinelAccess())) {
                    Map<String, String> master = sentinel.ask(Protocol.Command.SENTINEL, "MASTER", address.master())
                            .map(RedisServer::pairs)
                            .orElse(Map.of());
                    if (master.isEmpty()) {
                        here.unknown("sentinel", "the sentinel does not know this master, or refuses", "");
                        continue;
                    }
                    answered++;
                    masters.add(place(master));
                    RedisChecks.sentinel(master, here);
                    sentinel
                            .ask(Protocol.Command.SENTINEL, "REPLICAS", address.master())
                            .map(RedisServer::tables)
                            .stream()
                            .flatMap(List::stream)
                            .map(Look::place)
                            .forEach(replicas::add);
                } catch (JedisException silent) {
                    silent(here, silent);
                }
            }
            if (answered < address.hosts().size()) {
                findings.caution(
                        "sentinels",
                        answered + " of " + address.hosts().size() + " sentinels answer as they should",
                        "without a majority of them there is no failover");
            }
            if (masters.size() > 1) {
                findings.danger("sentinels-disagree", "the sentinels do not agree about the master", "ask again soon");
            }
            masters.forEach(master -> server(master, findings.at(master.toString())));
            replicas.stream()
                    .filter(each -> !masters.contains(each))
                    .forEach(replica -> replica(replica, findings.at(replica.toString())));
            if (!masters.isEmpty() && replicas.isEmpty()) {
                findings.caution("replicas", "the master has no replica", "add one: nothing can take over");
            }
        }

        private RedisServer.Access sentinelAccess() {
            boolean same = uri.option("sentinelLogin").filter("same"::equals).isPresent();
            Credentials own = credentials(
                    uri.option("sentinelUser").orElse(null),
                    uri.option("sentinelPassword").orElse(null));
            return new RedisServer.Access(same ? access.credentials() : own, access.encryption());
        }

        private static HostAndPort place(Map<String, String> told) {
            return new HostAndPort(told.getOrDefault("ip", "?"), Integer.parseInt(told.getOrDefault("port", "0")));
        }

        /** A replica may become the server that has the locks. */
        private void replica(HostAndPort host, Findings here) {
            try (RedisServer server = RedisServer.connect(reach(host), access)) {
                RedisChecks checks = new RedisChecks(address.kind(), server.info(), here);
                checks.replica();
                checks.settings(server.settings(RedisChecks.SETTINGS));
                clocks.look(server::timeMillis, here);
            } catch (JedisException silent) {
                silent(here, silent);
            }
        }

        private void cluster() {
            for (HostAndPort host : address.hosts()) {
                try (RedisServer server = RedisServer.connect(reach(host), access)) {
                    String state = server.ask(Protocol.Command.CLUSTER, "INFO")
                            .map(String::valueOf)
                            .orElse("");
                    String nodes = server.ask(Protocol.Command.CLUSTER, "NODES")
                            .map(String::valueOf)
                            .orElse("");
                    if (nodes.isEmpty()) {
                        findings.at(host.toString())
                                .danger("cluster", "it is not a member of a cluster, or refuses", "use redis://");
                        return;
                    }
                    cluster(state, ClusterMember.parse(nodes));
                    return;
                } catch (JedisException silent) {
                    silent(findings.at(host.toString()), silent);
                }
            }
        }

        private void cluster(String state, List<ClusterMember> members) {
            if (state.contains("cluster_state:ok")) {
                findings.ok("cluster", "all " + SLOTS + " slots are served");
            } else {
                findings.danger(
                        "cluster",
                        "the cluster is not well: some slots are not served",
                        "CLUSTER INFO, and add what is missing");
            }
            for (ClusterMember member : members) {
                HostAndPort place = member.place();
                Findings here = findings.at(place.toString());
                if (member.failed()) {
                    here.caution("member", "the cluster says that this member has failed", "start it, or forget it");
                } else if (member.master()) {
                    server(place, here);
                    if (members.stream().noneMatch(each -> each.replicates(member) && !each.failed())) {
                        here.caution(
                                "replicas", "this master has no replica", "add one: nothing can take over its slots");
                    }
                } else {
                    replica(place, here);
                }
            }
        }
    }
}
