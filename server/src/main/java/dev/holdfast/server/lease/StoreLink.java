package dev.holdfast.server.lease;

import dev.holdfast.Credentials;
import dev.holdfast.Holdfast;
import dev.holdfast.LossReason;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.StoreTraits;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.MonotonicClock;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.StoreContext;
import dev.holdfast.spi.StoreListener;
import dev.holdfast.spi.StoreProvider;
import dev.holdfast.spi.StoreUri;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The connection with the store. A client of the library lends it clock, threads and everything that concerns no lease;
 * what the store tells without being asked goes to the server, because the client itself never asks for a lock.
 * Thread-safe.
 */
public final class StoreLink implements AutoCloseable {
    private final Holdfast client;
    private final LockStore store;
    private final MonotonicClock clock;
    private final String shown;
    private final Duration commandTimeout;

    private StoreLink(Holdfast client, Opened opened, String shown, Duration commandTimeout) {
        this.client = client;
        this.store = Objects.requireNonNull(opened.store, "store");
        this.clock = Objects.requireNonNull(opened.clock, "clock");
        this.shown = shown;
        this.commandTimeout = commandTimeout;
    }

    /**
     * Connects.
     *
     * @param url the store
     * @param credentials the user and password that do not stand in the URL, if any
     * @param clientName how this instance is called
     * @param commandTimeout how long a call to the store may take
     * @param listener is told what the store tells
     * @return the connection
     * @throws StoreMisconfiguredException if the URL or the store's set-up is wrong
     * @throws dev.holdfast.StoreUnavailableException if the store does not answer
     */
    public static StoreLink open(
            String url,
            @Nullable Credentials credentials,
            String clientName,
            Duration commandTimeout,
            StoreListener listener) {
        StoreUri uri = StoreUri.parse(url, Map.of(), credentials);
        StoreProvider provider = providerOf(uri);
        for (String option : uri.options().keySet()) {
            if (!provider.options().contains(option)) {
                throw new StoreMisconfiguredException("the store '" + uri.scheme() + ":' has no option '" + option
                        + "'; it has " + new TreeSet<>(provider.options()));
            }
        }
        Opened opened = new Opened();
        Holdfast client = Holdfast.builder()
                .store(context -> opened.keep(provider.open(uri, context.withListener(listener)), context))
                .clientName(clientName)
                .commandTimeout(commandTimeout)
                .build();
        return new StoreLink(client, opened, uri.toString(), commandTimeout);
    }

    private static StoreProvider providerOf(StoreUri uri) {
        TreeSet<String> known = new TreeSet<>();
        for (StoreProvider provider : ServiceLoader.load(StoreProvider.class, StoreProvider.class.getClassLoader())) {
            if (provider.schemes().contains(uri.scheme())) {
                return provider;
            }
            known.addAll(provider.schemes());
        }
        throw new StoreMisconfiguredException(
                "no store for the scheme '" + uri.scheme() + ":' is on the class path; known are " + known);
    }

    /** {@return the library's client: checks names and options, and looks at locks} */
    public Holdfast client() {
        return client;
    }

    /** {@return the store itself} */
    public LockStore store() {
        return store;
    }

    /** {@return what the store promises} */
    public StoreTraits traits() {
        return store.traits();
    }

    /** {@return the time} */
    public long now() {
        return clock.nanos();
    }

    /** {@return how long a call to the store may take} */
    public Duration commandTimeout() {
        return commandTimeout;
    }

    /** {@return whether a grant lives in the session of the instance that asked for it} */
    public boolean hasSessions() {
        return traits().expiry() == StoreTraits.Expiry.SESSION;
    }

    /** {@return the store's address without secrets} */
    @Override
    public String toString() {
        return shown;
    }

    @Override
    public void close() {
        client.close();
    }

    /** What comes out of opening; written before the client is built. */
    private static final class Opened {
        private @Nullable LockStore store;
        private @Nullable MonotonicClock clock;

        LockStore keep(LockStore opened, StoreContext context) {
            store = opened;
            clock = context.clock();
            return opened;
        }
    }

    /** Passes messages on to whoever is set later, because the store is opened before there is anybody. */
    public static final class Messages implements StoreListener {
        private volatile @Nullable StoreListener receiver;

        /** Sets who receives them. */
        public void to(StoreListener listener) {
            receiver = listener;
        }

        @Override
        public void retry(String name, OwnerId owner) {
            StoreListener now = receiver;
            if (now != null) {
                now.retry(name, owner);
            }
        }

        @Override
        public void granted(List<Grant> grants, long anchorNanos) {
            StoreListener now = receiver;
            if (now != null) {
                now.granted(grants, anchorNanos);
            }
        }

        /** Nobody keeps a lock here that it does not use. */
        @Override
        public void wanted(String name, long epoch) {}

        @Override
        public void lost(String name, OwnerId owner, long epoch, LossReason reason) {
            StoreListener now = receiver;
            if (now != null) {
                now.lost(name, owner, epoch, reason);
            }
        }

        @Override
        public void sessionLost(String session) {
            StoreListener now = receiver;
            if (now != null) {
                now.sessionLost(session);
            }
        }
    }
}
