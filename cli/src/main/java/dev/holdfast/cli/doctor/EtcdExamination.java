package dev.holdfast.cli.doctor;

import dev.holdfast.Credentials;
import dev.holdfast.cli.console.Json;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** Looks at the members of an etcd cluster, over the HTTP that they offer beside their own protocol. */
final class EtcdExamination implements Examination {
    private static final String OLDEST = "3.4";
    private static final double NEARLY_FULL = 0.8;
    private static final double MOST_SLOW_WRITES = 0.01;
    private static final String SYNC = "etcd_disk_wal_fsync_duration_seconds";

    /** In seconds, one of the limits that etcd counts by. */
    private static final String SLOW = "0.128";

    @Override
    public boolean knows(String scheme) {
        return scheme.startsWith("etcd");
    }

    @Override
    public void examine(Subject subject, Findings findings) {
        boolean tls = subject.uri().scheme().equals("etcd+tls");
        SSLContext encryption = tls
                ? TlsFiles.ofPem(
                        subject.uri().option("ca").orElse(null),
                        subject.uri().option("cert").orElse(null),
                        subject.uri().option("key").orElse(null))
                : null;
        Authority authority = Authority.of(subject.uri());
        Look look = new Look(findings, encryption, authority.login());
        if (encryption != null) {
            Authority.Place first = authority.places().get(0);
            TlsFiles.lookAtCertificate(first.host(), first.port(), encryption, findings);
        }
        authority.places().forEach(look::member);
        look.compare();
    }

    /** One examination. */
    private static final class Look {
        private final Findings findings;
        private final @Nullable SSLContext encryption;
        private final @Nullable Credentials login;
        private final ClockLook clocks = new ClockLook();
        private final Set<String> clusters = new HashSet<>();
        private boolean lookedAtCluster;

        Look(Findings findings, @Nullable SSLContext encryption, @Nullable Credentials login) {
            this.findings = findings;
            this.encryption = encryption;
            this.login = login;
        }

        void member(Authority.Place place) {
            Findings here = findings.at(place.toString());
            HttpQuestion http = new HttpQuestion(place, encryption);
            try {
                HttpQuestion.Answer version = http.get("/version");
                version(version.text("etcdserver"), here);
                clocks.look(() -> http.getQuietly("/version").timeMillis(), here);
                signIn(http);
                HttpQuestion.Answer status = http.post("/v3/maintenance/status", "{}");
                if (status.isRefused()) {
                    here.unknown(
                            "settings",
                            "this member does not tell its state (HTTP " + status.code() + ")",
                            "ask with a user that may, and leave its gRPC gateway switched on");
                } else {
                    clusters.add(status.text("cluster_id"));
                    status(status, http, here);
                    cluster(http);
                }
                disk(http, here);
            } catch (IOException silent) {
                here.caution("reachable", "the member does not answer", "look whether it runs and can be reached");
            }
        }

        private void signIn(HttpQuestion http) throws IOException {
            if (login != null) {
                String question = new Json()
                        .beginObject()
                        .key("name")
                        .value(login.user().orElse(""))
                        .key("password")
                        .value(login.password())
                        .endObject()
                        .toString();
                http.signedIn(http.post("/v3/auth/authenticate", question).text("token"));
            }
        }

        private static void version(String version, Findings here) {
            if (Versions.isOlder(version, OLDEST)) {
                here.danger("version", "etcd " + version + " is too old", "use " + OLDEST + " or later");
            } else {
                here.ok("version", "etcd " + version);
            }
        }

        private static void status(HttpQuestion.Answer status, HttpQuestion http, Findings here) throws IOException {
            if (status.text("leader").isEmpty() || status.text("leader").equals("0")) {
                here.danger("leader", "this member knows no leader, so it grants nothing", "look at the other members");
            }
            if (status.text("isLearner").equals("true")) {
                here.danger("learner", "this member is a learner, which serves no locks", "name voting members only");
            }
            double quota = http.metric("etcd_server_quota_backend_bytes");
            if (quota > 0 && status.number("dbSize") > NEARLY_FULL * quota) {
                here.caution(
                        "space",
                        "its database is nearly as large as its quota",
                        "compact and defragment it, or raise --quota-backend-bytes: a full etcd grants nothing");
            }
        }

        /** What every member says alike. */
        private void cluster(HttpQuestion http) throws IOException {
            if (lookedAtCluster) {
                return;
            }
            lookedAtCluster = true;
            HttpQuestion.Answer alarms = http.post("/v3/maintenance/alarm", "{\"action\":\"GET\"}");
            for (String alarm : alarms.all("alarm")) {
                findings.danger(
                        "alarm",
                        "etcd has the alarm " + alarm,
                        alarm.equals("NOSPACE")
                                ? "it grants nothing: compact, defragment, then etcdctl alarm disarm"
                                : "its data may be damaged: see etcd's page about this alarm");
            }
            HttpQuestion.Answer members = http.post("/v3/cluster/member/list", "{}");
            int count = members.all("ID").size();
            if (count == 1) {
                findings.caution(
                        "members", "the cluster has one member", "use three: when this one stops, all locks do");
            } else if (count > 0 && count % 2 == 0) {
                findings.caution(
                        "members",
                        "the cluster has " + count + " members, of which no more may fail than of " + (count - 1),
                        "use an odd number");
            } else if (count > 0) {
                findings.ok("members", "the cluster has " + count + " members");
            }
            if (login == null) {
                findings.caution(
                        "login",
                        "it lets us in without a password, as it does everybody who can reach it",
                        "etcdctl auth enable, with a user for the locks; or client certificates");
            } else {
                findings.ok("login", "it knows us by a password");
            }
        }

        private static void disk(HttpQuestion http, Findings here) throws IOException {
            HttpQuestion.Answer metrics = http.get("/metrics");
            if (metrics.isRefused()) {
                here.unknown("disk", "this member does not show its metrics here", "look at " + SYNC + " yourself");
                return;
            }
            double all = http.metric(SYNC + "_count");
            if (all == 0) {
                here.danger(
                        "disk",
                        "it does not wait for its disk (--unsafe-no-fsync): a crash forgets locks and may damage it",
                        "take the flag away");
                return;
            }
            double quick = http.metric(SYNC + "_bucket{le=\"" + SLOW + "\"}");
            if (all - quick > MOST_SLOW_WRITES * all) {
                here.caution(
                        "disk",
                        "more than one write in a hundred took its disk over " + SLOW + " s",
                        "a faster disk: slow ones cost elections, and leases with them");
            } else {
                here.ok("disk", "it waits for its disk, which is quick enough");
            }
        }

        void compare() {
            if (clusters.size() > 1) {
                findings.danger(
                        "several-clusters",
                        "the URL names members of different clusters, and a lock in one is not seen in another",
                        "name members of one cluster");
            }
            clocks.compare(findings);
        }
    }
}
