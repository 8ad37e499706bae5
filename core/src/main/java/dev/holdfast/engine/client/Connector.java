package dev.holdfast.engine.client;

import dev.holdfast.Credentials;
import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastListener;
import dev.holdfast.LockOptions;
import dev.holdfast.StoreFactory;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.engine.Surroundings;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreContext;
import dev.holdfast.spi.StoreProvider;
import dev.holdfast.spi.StoreUri;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Makes a client with real threads from what the builder collected.
 *
 * @param url the store's URL, or null if a factory is given
 * @param factory opens the store, or null if a URL is given
 * @param options options of the store besides those in the URL
 * @param credentials the user and password, if given
 * @param clientName the client's name, or null for host and process
 * @param commandTimeout how long one call to the store may take
 * @param stayAwake whether threads stay awake for microseconds when they wait for something near; never on one processor
 * @param lazy whether not to check that the store answers
 */
public record Connector(
        @Nullable String url,
        @Nullable StoreFactory factory,
        Map<String, String> options,
        @Nullable Credentials credentials,
        @Nullable String clientName,
        Duration commandTimeout,
        boolean stayAwake,
        boolean lazy) {

    private static final String PASSWORD_VARIABLE = "HOLDFAST_PASSWORD";

    /** Makes the client. */
    public Holdfast connect(
            LockOptions defaults, @Nullable HoldfastListener listener, @Nullable Executor callbackExecutor) {
        StoreFactory opener = opener();
        String name = clientName != null ? clientName : defaultName();
        StoreHolder holder = new StoreHolder();
        ClientThreads threads =
                new ClientThreads("holdfast-" + name, commandTimeout, stayAwake, holder::get, callbackExecutor);
        Surroundings surroundings = threads.surroundings();
        Client client = null;
        try {
            client = Client.open(
                    name,
                    surroundings,
                    messages -> holder.set(opener.open(new StoreContext(
                                    name,
                                    threads.clock(),
                                    threads.storeScheduler(),
                                    threads.storeExecutor(),
                                    commandTimeout,
                                    surroundings.random(),
                                    messages)
                            .withStayAwake(stayAwake))),
                    defaults,
                    listener,
                    threads::close);
            holder.set(client.store());
            if (!lazy) {
                client.ping();
            }
            client.startJanitor();
            return client;
        } catch (RuntimeException | Error unusable) {
            closeQuietly(client == null ? threads::close : client::close, unusable);
            throw unusable;
        }
    }

    private static void closeQuietly(Runnable close, Throwable cause) {
        try {
            close.run();
        } catch (RuntimeException | Error worse) {
            cause.addSuppressed(worse);
        }
    }

    private StoreFactory opener() {
        if (factory != null) {
            if (url != null || !options.isEmpty() || credentials != null) {
                throw new StoreMisconfiguredException(
                        "a store factory cannot be combined with a URL, options or credentials; give one or the other");
            }
            return factory;
        }
        if (url == null) {
            throw new StoreMisconfiguredException("no store was named; give a URL or a store factory");
        }
        String password = System.getenv(PASSWORD_VARIABLE);
        Credentials given = credentials != null || password == null ? credentials : Credentials.ofPassword(password);
        StoreUri uri = StoreUri.parse(url, options, given);
        StoreProvider provider = providerOf(uri);
        for (String option : uri.options().keySet()) {
            if (!provider.options().contains(option)) {
                throw new StoreMisconfiguredException("'" + uri.scheme() + "' has no option '" + option + "'; it has "
                        + (provider.options().isEmpty() ? "none" : new TreeSet<>(provider.options())));
            }
        }
        return context -> provider.open(uri, context);
    }

    private static StoreProvider providerOf(StoreUri uri) {
        List<String> known = new ArrayList<>();
        ClassLoader own = StoreProvider.class.getClassLoader();
        ClassLoader threads = Thread.currentThread().getContextClassLoader();
        for (ClassLoader loader : threads == null || threads == own ? List.of(own) : List.of(own, threads)) {
            for (StoreProvider provider : ServiceLoader.load(StoreProvider.class, loader)) {
                if (provider.schemes().contains(uri.scheme())) {
                    return provider;
                }
                known.addAll(provider.schemes());
            }
        }
        throw new StoreMisconfiguredException("no store for the scheme '" + uri.scheme()
                + ":' is on the class path; known are " + new TreeSet<>(known)
                + ". Add the module for it, such as holdfast-redis for 'redis:'");
    }

    private static String defaultName() {
        String host;
        try {
            host = InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException nameless) {
            host = "localhost";
        }
        return host + "/" + ProcessHandle.current().pid();
    }

    /** The store, from the moment it is open. */
    private static final class StoreHolder {
        private volatile @Nullable LockStore store;

        LockStore get() {
            return Objects.requireNonNull(store, "the store is not open yet");
        }

        LockStore set(LockStore opened) {
            store = opened;
            return opened;
        }
    }
}
