package dev.holdfast.cli.serve;

import dev.holdfast.cli.console.Complaint;
import dev.holdfast.cli.console.Exit;
import dev.holdfast.cli.event.Event;
import dev.holdfast.cli.event.Mailbox;
import dev.holdfast.cli.event.Signals;
import dev.holdfast.cli.store.StoreChoice;
import dev.holdfast.cli.store.StoreOption;
import dev.holdfast.cli.store.Stores;
import dev.holdfast.server.HoldfastServer;
import dev.holdfast.server.NewToken;
import dev.holdfast.server.ServerLog;
import dev.holdfast.server.ServerOptions;
import dev.holdfast.server.TlsFiles;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code holdfast serve}. */
@Command(
        name = "serve",
        sortOptions = false,
        description = "Offers the locks of a store over HTTP, to programs in any language.",
        footer = {
            "",
            "It runs until it is told to stop (TERM, INT), then answers every waiting request first. HUP makes it read"
                    + " the access file and the certificates again. Several instances with the same store and the same"
                    + " secret are one server for their clients.",
            "",
            "It listens to this machine only and lets everybody here do everything, unless it gets an access file. For"
                    + " any other address it needs an access file and TLS.",
            "",
            "Environment: HOLDFAST_URL, HOLDFAST_PASSWORD, HOLDFAST_SERVER_SECRET (instead of a file).",
            "",
            "Examples:",
            "  holdfast serve --url redis://localhost:6379",
            "  curl -X POST http://localhost:7420/v1/locks/nightly/leases",
            "  holdfast serve --new-token ci --roles look,lock --prefixes builds/,deploy/",
            "  holdfast serve --listen 0.0.0.0:7420 --access-file clients \\",
            "      --tls-certificate server.pem --tls-key server-key.pem"
        })
public final class ServeCommand implements Callable<Integer> {
    private static final Duration LONGEST_NAP = Duration.ofHours(1);
    private static final int LARGEST_PORT = 65_535;

    /** The words that {@code --log} takes. */
    private enum LogForm {
        LINES,
        JSON
    }

    private final Mailbox mailbox = new Mailbox();

    @Mixin
    private StoreOption store = new StoreOption();

    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            description = "Where to listen. Default: localhost:7420. Port 0 chooses a free one.")
    private String listen = "localhost:7420";

    @Option(
            names = "--access-file",
            paramLabel = "FILE",
            description = "Who may do what: lines of the form NAME ROLES PREFIXES sha256:HASH. Make one with"
                    + " --new-token. Everybody else is refused.")
    private @Nullable Path accessFile;

    @Option(names = "--tls-certificate", paramLabel = "FILE", description = "The server's certificate chain, as PEM.")
    private @Nullable Path tlsCertificate;

    @Option(names = "--tls-key", paramLabel = "FILE", description = "Its private key, as PEM (PKCS #8).")
    private @Nullable Path tlsKey;

    @Option(
            names = "--client-authority",
            paramLabel = "FILE",
            description = "The authority of client certificates, as PEM; the access file names them as"
                    + " certificate:COMMON-NAME.")
    private @Nullable Path clientAuthority;

    @Option(
            names = "--host",
            paramLabel = "NAME",
            description =
                    "A further name that this server is known by. Only needed without an access file; repeatable.")
    private List<String> hosts = List.of();

    @Option(
            names = "--insecure-without-credentials",
            description = "Listen at any address although everybody who reaches it may do everything.")
    private boolean withoutCredentials;

    @Option(
            names = "--insecure-without-tls",
            description = "Listen at any address although nothing is encrypted, for example behind a proxy that does.")
    private boolean withoutTls;

    @Option(
            names = "--new-token",
            paramLabel = "NAME",
            description = "Make a token for a client, print it and its line for the access file, and end.")
    private @Nullable String newToken;

    @Option(
            names = "--roles",
            paramLabel = "ROLES",
            description = "What the new client may do: some of look,lock,evict. Default: look,lock.")
    private String roles = "look,lock";

    @Option(
            names = "--prefixes",
            paramLabel = "PREFIXES",
            description = "What the names that it may use begin with; * for all. Default: *.")
    private String prefixes = "*";

    @Option(
            names = "--secret-file",
            paramLabel = "FILE",
            description = "What all instances share: with it they sign lease ids and find each other's leases. It is"
                    + " made if it is missing. Default: ~/.local/state/holdfast-server/secret.")
    private @Nullable Path secretFile;

    @Option(
            names = "--log",
            paramLabel = "FORM",
            description = "How to write what happens: lines or json. Default: lines.")
    private LogForm log = LogForm.LINES;

    @Option(
            names = "--stop-time",
            paramLabel = "DURATION",
            description = "How long to wait for requests that are being answered when told to stop. Default: 10s.")
    private Duration stopTime = Duration.ofSeconds(10);

    @Override
    public Integer call() {
        if (newToken != null) {
            NewToken made = NewToken.make(newToken, roles, prefixes);
            System.out.println("token, for the client alone:  " + made.token());
            System.out.println("line for the access file:     " + made.line());
            return Exit.OK;
        }
        if ((tlsCertificate == null) != (tlsKey == null) || (clientAuthority != null && tlsKey == null)) {
            return Complaint.usage(
                    "TLS needs both --tls-certificate and --tls-key, and --client-authority needs TLS", "serve");
        }
        return Stores.use(store.url(), this::serve);
    }

    private int serve(StoreChoice choice) {
        ServerOptions options = ServerOptions.of(choice.driverUrl(), secret())
                .withCredentials(Stores.credentials(choice))
                .withName(Stores.processName(choice))
                .withListen(address(listen))
                .withCommandTimeout(Stores.serverTimeout(choice))
                .withStopTime(stopTime)
                .withHosts(Set.copyOf(hosts))
                .withLog(serverLog());
        if (accessFile != null) {
            options = options.withAccess(accessFile);
        }
        if (tlsCertificate != null && tlsKey != null) {
            options = options.withTls(new TlsFiles(tlsCertificate, tlsKey, clientAuthority));
        }
        if (withoutCredentials) {
            options = options.withInsecureLackOfCredentials();
        }
        if (withoutTls) {
            options = options.withInsecureLackOfTls();
        }
        Signals.handle(List.of("TERM", "INT", "HUP"), mailbox::add);
        try (HoldfastServer server = HoldfastServer.start(options)) {
            serveUntilSignalled(server);
        } catch (IOException failed) {
            throw new CannotServeException(String.valueOf(failed.getMessage()), failed);
        }
        return Exit.OK;
    }

    private ServerLog serverLog() {
        return log == LogForm.JSON ? ServerLog.json(System.out) : ServerLog.lines(System.out);
    }

    private void serveUntilSignalled(HoldfastServer server) {
        while (true) {
            try {
                if (mailbox.poll(LONGEST_NAP) instanceof Event.Signalled signal) {
                    if (!signal.name().equals("HUP")) {
                        return;
                    }
                    reload(server);
                }
            } catch (InterruptedException impossible) {
                throw new IllegalStateException("nobody interrupts this thread", impossible);
            }
        }
    }

    /** What cannot be read is told, and what was read before stays. */
    private void reload(HoldfastServer server) {
        try {
            server.reload();
            serverLog().write("info", "reloaded", Map.of());
        } catch (IllegalArgumentException wrong) {
            serverLog().write("error", "not reloaded", Map.of("why", String.valueOf(wrong.getMessage())));
        }
    }

    private byte[] secret() {
        String given = System.getenv().getOrDefault("HOLDFAST_SERVER_SECRET", "");
        if (!given.isEmpty() && secretFile == null) {
            return given.getBytes(StandardCharsets.UTF_8);
        }
        return SecretFile.readOrMake(secretFile != null ? secretFile : SecretFile.usual(System.getenv()));
    }

    static InetSocketAddress address(String text) {
        int colon = text.lastIndexOf(':');
        String host = colon < 0 ? "" : text.substring(0, colon);
        int port = colon < 0 ? -1 : port(text.substring(colon + 1));
        if (host.isEmpty() || port < 0 || (host.indexOf(':') >= 0 && !host.startsWith("["))) {
            throw new IllegalArgumentException("--listen must be HOST:PORT, such as localhost:7420 or [::1]:7420");
        }
        try {
            return new InetSocketAddress(InetAddress.getByName(host), port);
        } catch (UnknownHostException unknown) {
            throw new IllegalArgumentException("--listen: there is no host '" + host + "'", unknown);
        }
    }

    private static int port(String text) {
        try {
            int port = Integer.parseInt(text);
            return port <= LARGEST_PORT ? port : -1;
        } catch (NumberFormatException wrong) {
            return -1;
        }
    }
}
