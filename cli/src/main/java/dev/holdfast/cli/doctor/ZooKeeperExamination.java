package dev.holdfast.cli.doctor;

import dev.holdfast.spi.StoreUri;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** Looks at the servers of a ZooKeeper ensemble, by the four-letter words that they answer. */
final class ZooKeeperExamination implements Examination {
    private static final String OLDEST = "3.5";
    private static final int LARGEST_ANSWER = 1 << 20;
    private static final int USUAL_SESSION_MILLIS = 15_000;
    private static final int TICKS_FOR_A_SESSION = 4;

    @Override
    public boolean knows(String scheme) {
        return scheme.equals("zookeeper");
    }

    @Override
    public void examine(Subject subject, Findings findings) {
        Authority authority = Authority.of(subject.uri());
        Look look = new Look(findings, subject.uri());
        authority.places().forEach(look::server);
        look.compare(authority);
    }

    /** One examination. */
    private static final class Look {
        private final Findings findings;
        private final @Nullable SSLContext encryption;
        private final int sessionMillis;
        private final List<String> modes = new ArrayList<>();
        private boolean lookedAtCertificate;

        Look(Findings findings, StoreUri uri) {
            this.findings = findings;
            this.encryption = uri.option("tls").filter("true"::equals).isPresent()
                    ? TlsFiles.ofStores(
                            uri.option("trustStore").orElse(null),
                            uri.option("trustStorePassword").orElse(null),
                            uri.option("keyStore").orElse(null),
                            uri.option("keyStorePassword").orElse(null))
                    : null;
            this.sessionMillis = uri.option("session").map(Look::millis).orElse(USUAL_SESSION_MILLIS);
        }

        private static int millis(String text) {
            Matcher form = Pattern.compile("(\\d{1,9})(ms|s|m)").matcher(text);
            if (!form.matches()) {
                return USUAL_SESSION_MILLIS;
            }
            int number = Integer.parseInt(form.group(1));
            return switch (form.group(2)) {
                case "ms" -> number;
                case "s" -> number * 1_000;
                default -> number * 60_000;
            };
        }

        void server(Authority.Place place) {
            Findings here = findings.at(place.toString());
            try {
                if (encryption != null && !lookedAtCertificate) {
                    lookedAtCertificate = true;
                    TlsFiles.lookAtCertificate(place.host(), place.port(), encryption, findings);
                }
                long began = System.nanoTime();
                String state = ask(place, "srvr");
                double millis = (System.nanoTime() - began) / 1e6;
                if (state.contains("is not executed")) {
                    here.unknown(
                            "settings",
                            "the server does not answer 'srvr'",
                            "set 4lw.commands.whitelist=srvr,conf,mntr on the server");
                    return;
                }
                state(state, millis, here);
                settings(ask(place, "conf"), here);
                disk(ask(place, "mntr"), here);
            } catch (IOException silent) {
                here.caution("reachable", "the server does not answer", "look whether it runs and can be reached");
            }
        }

        private void state(String state, double millis, Findings here) {
            Optional<String> version = value(state, "Zookeeper version: ([0-9.]+)");
            if (version.isEmpty()) {
                // Also said while there is no quorum.
                here.danger(
                        "serving",
                        "the server is not serving: it has no ensemble, or is read-only",
                        "look at the others");
                return;
            }
            if (Versions.isOlder(version.get(), OLDEST)) {
                here.danger("version", "ZooKeeper " + version.get() + " is too old", "use " + OLDEST + " or later");
            } else {
                here.ok("version", "ZooKeeper " + version.get());
            }
            modes.add(value(state, "Mode: ([a-z-]+)").orElse("unknown"));
            here.ok(
                    "mode",
                    String.format(
                            java.util.Locale.ROOT, "%s, answers in %.1f ms", modes.get(modes.size() - 1), millis));
        }

        private void settings(String conf, Findings here) {
            Optional<Integer> tick = value(conf, "tickTime=(\\d{1,8})").map(Integer::valueOf);
            if (tick.isEmpty()) {
                here.unknown(
                        "settings",
                        "the server does not show its settings",
                        "set 4lw.commands.whitelist=srvr,conf,mntr on it");
                return;
            }
            int least = value(conf, "minSessionTimeout=(\\d{1,8})")
                    .map(Integer::valueOf)
                    .orElse(0);
            int most = value(conf, "maxSessionTimeout=(\\d{1,8})")
                    .map(Integer::valueOf)
                    .orElse(Integer.MAX_VALUE);
            int session = Math.max(least, Math.min(most, sessionMillis));
            if (session != sessionMillis) {
                here.caution(
                        "session",
                        "the server gives a session of " + session + " ms where " + sessionMillis + " ms are asked for",
                        "ask for a time between its minSessionTimeout (" + least + ") and maxSessionTimeout (" + most
                                + ")");
            } else if (session < TICKS_FOR_A_SESSION * tick.get()) {
                here.caution(
                        "session",
                        "the session of " + session + " ms is shorter than four ticks of " + tick.get() + " ms",
                        "use a longer one, or a shorter tickTime");
            } else {
                here.ok("session", "the session of " + session + " ms is within what the server gives");
            }
        }

        /** A server counts how often it waits for its disk; it has just written the lock that was tried. */
        private static void disk(String metrics, Findings here) {
            Optional<String> waits = value(metrics, "zk_cnt_fsynctime\\s+(\\d+)");
            if (waits.isEmpty()) {
                here.unknown(
                        "disk", "the server does not tell whether it waits for its disk", "see that forceSync is yes");
            } else if (waits.get().equals("0")) {
                here.danger(
                        "disk",
                        "it does not wait for its disk (forceSync=no): a crash forgets locks, and tokens with them",
                        "take zookeeper.forceSync=no away");
            } else {
                here.ok("disk", "it waits for its disk");
            }
        }

        void compare(Authority authority) {
            long alone = modes.stream().filter("standalone"::equals).count();
            long leaders = modes.stream().filter("leader"::equals).count();
            boolean several = modes.size() > 1;
            if ((several && alone > 0) || leaders > 1) {
                findings.danger(
                        "several-ensembles",
                        "the URL names servers that are not one ensemble, and a lock on one is not seen on another",
                        "name servers of one ensemble");
            } else if (alone == 1) {
                findings.caution("members", "the server stands alone", "use three: when this one stops, all locks do");
            } else if (modes.size() == 1) {
                findings.caution("members", "the URL names one server of an ensemble", "name all: this one may fail");
            } else if (several) {
                findings.ok("members", modes.size() + " servers of one ensemble answer");
            }
            if (modes.isEmpty()) {
                return;
            }
            if (authority.login() == null) {
                findings.caution(
                        "login",
                        "we do not log in, so everybody who can reach the servers may take locks away",
                        "name a user and a password: then the nodes are that user's alone");
            } else {
                findings.ok("login", "we log in, so the nodes are ours alone");
            }
        }

        private String ask(Authority.Place place, String word) throws IOException {
            try (Socket socket = TlsFiles.connect(place.host(), place.port(), encryption)) {
                socket.getOutputStream().write(word.getBytes(StandardCharsets.US_ASCII));
                socket.getOutputStream().flush();
                return new String(socket.getInputStream().readNBytes(LARGEST_ANSWER), StandardCharsets.UTF_8);
            }
        }

        private static Optional<String> value(String text, String pattern) {
            Matcher found = Pattern.compile(pattern).matcher(text);
            return found.find() ? Optional.of(found.group(1)) : Optional.empty();
        }
    }
}
