package dev.holdfast.cli.store;

import dev.holdfast.Credentials;
import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastBuilder;
import dev.holdfast.cli.console.Complaint;
import dev.holdfast.cli.console.Printable;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToIntFunction;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Chooses the store, and connects to it under a name that tells people who this is. */
public final class Stores {
    private static final int LONGEST_CLIENT_NAME = 200;

    /** How long a store keeps the lock of a machine that is gone. */
    public static final Duration USUAL_LEASE = Duration.ofSeconds(30);

    /** Files answer at once, except on a machine that is starved by many runs at once; no lease runs out meanwhile. */
    private static final Duration FILES_TIMEOUT = Duration.ofSeconds(60);

    /** A server that does not answer for this long will not answer; a usual lease has room for two such renewals. */
    private static final Duration SERVER_TIMEOUT = Duration.ofSeconds(10);

    private static final Duration SHORTEST_TIMEOUT = Duration.ofSeconds(2);
    private static final int RENEWALS_PER_LEASE = 3;

    /** Clients of a server may ask for short leases. */
    private static final Duration SERVED_LEASE = Duration.ofSeconds(15);

    /** Kept, because a logger that nobody refers to forgets its level. */
    private static final Logger GRPC_LOG = Logger.getLogger("io.grpc");

    private Stores() {}

    /**
     * Chooses the store's URL: the option, what is set, or files in a directory of the user's own.
     *
     * @throws IllegalArgumentException if nothing says where the user's own directory is
     */
    static String url(@Nullable String option, Settings settings) {
        if (option != null) {
            return option;
        }
        Optional<String> set = settings.get(Settings.Key.URL);
        return set.isPresent() ? set.get() : "file:" + ownDirectory(settings.environment());
    }

    /**
     * Does something with the chosen store.
     *
     * @return its exit code, or that of a failure, which is complained about
     */
    public static int use(@Nullable String option, ToIntFunction<StoreChoice> action) {
        String url = "";
        try {
            Settings settings = Settings.ofThisProcess();
            settings.warnOfReadablePassword();
            StoreChoice choice = StoreChoice.of(option, settings);
            url = choice.url();
            return action.applyAsInt(choice);
        } catch (RuntimeException failed) {
            return Complaint.of(failed, url).complain();
        }
    }

    /** Connects as a client that people recognise: user, host and process. */
    public static Holdfast connect(StoreChoice choice, Duration lease) {
        return connect(choice, processName(choice), timeout(choice.url(), lease));
    }

    /** Connects as the user, for what is recorded beyond the life of this process. */
    public static Holdfast connectAsUser(StoreChoice choice) {
        return connect(choice, who(choice), timeout(choice.url(), USUAL_LEASE));
    }

    /** {@return the password from where it was given, for those who do not connect through the library's builder} */
    @Nullable
    public static Credentials credentials(StoreChoice choice) {
        String given = System.getenv().getOrDefault(Settings.Key.PASSWORD.variable(), "");
        return given.isEmpty() ? choice.credentials() : Credentials.ofPassword(given);
    }

    /** {@return a name that people recognise: user, host and process} */
    public static String processName(StoreChoice choice) {
        return who(choice) + "/" + ProcessHandle.current().pid();
    }

    /** {@return how long a server's calls to the store may take} */
    public static Duration serverTimeout(StoreChoice choice) {
        // gRPC would tell of its own set-up in the middle of the log.
        GRPC_LOG.setLevel(Level.WARNING);
        return timeout(choice.url(), SERVED_LEASE);
    }

    /** The XDG directory for state; relative paths there are to be ignored. */
    private static String ownDirectory(Map<String, String> environment) {
        String state = environment.getOrDefault("XDG_STATE_HOME", "");
        String home = environment.getOrDefault("HOME", "");
        String fallback = System.getProperty("user.home", "");
        String directory;
        if (state.startsWith("/")) {
            directory = state + "/holdfast";
        } else if (home.startsWith("/")) {
            directory = home + "/.local/state/holdfast";
        } else if (fallback.startsWith("/")) {
            directory = fallback + "/.local/state/holdfast";
        } else {
            throw new IllegalArgumentException("there is no home directory to keep locks in; set HOME or"
                    + " XDG_STATE_HOME, or name a store with --url or HOLDFAST_URL");
        }
        if (directory.indexOf('#') >= 0) {
            throw new IllegalArgumentException("the directory " + directory + " cannot be used, because '#' begins the"
                    + " options of a store; name another with --url or HOLDFAST_URL");
        }
        return directory;
    }

    private static Holdfast connect(StoreChoice choice, String clientName, Duration timeout) {
        // gRPC would tell of its own set-up in the middle of what the user asked for.
        GRPC_LOG.setLevel(Level.WARNING);
        HoldfastBuilder builder = Holdfast.builder()
                .url(choice.driverUrl())
                .clientName(clientName)
                .commandTimeout(timeout);
        Credentials credentials = choice.credentials();
        if (credentials != null) {
            builder.credentials(credentials);
        }
        return builder.build();
    }

    /** A renewal must be able to fail and be tried again before the lease ends. */
    private static Duration timeout(String url, Duration lease) {
        if (url.startsWith("file:")) {
            return FILES_TIMEOUT;
        }
        Duration renewal = lease.dividedBy(RENEWALS_PER_LEASE);
        if (renewal.compareTo(SERVER_TIMEOUT) > 0) {
            return SERVER_TIMEOUT;
        }
        return renewal.compareTo(SHORTEST_TIMEOUT) < 0 ? SHORTEST_TIMEOUT : renewal;
    }

    private static String who(StoreChoice choice) {
        String who = choice.client().map(Printable::of).orElseGet(Stores::userAtHost);
        int most = LONGEST_CLIENT_NAME - String.valueOf(Long.MAX_VALUE).length() - 1;
        return who.length() > most ? who.substring(0, most) : who;
    }

    private static String userAtHost() {
        return Printable.of(System.getProperty("user.name", "unknown")) + "@"
                + Printable.of(System.getProperty("holdfast.host", "localhost"));
    }
}
