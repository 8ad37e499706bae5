package dev.holdfast;

import dev.holdfast.engine.client.Connector;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Sets up a {@link Holdfast} client. Not thread-safe; each method returns this builder. */
public final class HoldfastBuilder {
    private static final int LONGEST_CLIENT_NAME = 200;

    private @Nullable String url;
    private @Nullable StoreFactory store;
    private final Map<String, String> options = new LinkedHashMap<>();
    private @Nullable Credentials credentials;
    private @Nullable String clientName;
    private LockOptions defaults = LockOptions.defaults();
    private @Nullable HoldfastListener listener;
    private @Nullable Executor callbackExecutor;
    private Duration commandTimeout = Duration.ofSeconds(2);
    private boolean stayAwake = true;
    private boolean lazy;

    HoldfastBuilder() {}

    /**
     * Names the store. Either this or {@link #store} is needed.
     *
     * @param storeUrl as for {@link Holdfast#connect}
     * @return this builder
     */
    public HoldfastBuilder url(String storeUrl) {
        this.url = Objects.requireNonNull(storeUrl, "storeUrl");
        return this;
    }

    /**
     * Uses a store made from objects that the program already has; see the typed factories of the store modules.
     *
     * @param factory opens the store
     * @return this builder
     */
    public HoldfastBuilder store(StoreFactory factory) {
        this.store = Objects.requireNonNull(factory, "factory");
        return this;
    }

    /**
     * Sets an option of the store, as if it stood behind {@code #} in the URL.
     *
     * @param key the option; unknown ones are refused by {@link #build()}
     * @param value its value
     * @return this builder
     */
    public HoldfastBuilder option(String key, String value) {
        options.put(Objects.requireNonNull(key, "key"), Objects.requireNonNull(value, "value"));
        return this;
    }

    /**
     * Gives a user and password, instead of the URL or the environment variable {@code HOLDFAST_PASSWORD}.
     *
     * @param userAndPassword the credentials
     * @return this builder
     */
    public HoldfastBuilder credentials(Credentials userAndPassword) {
        this.credentials = Objects.requireNonNull(userAndPassword, "userAndPassword");
        return this;
    }

    /**
     * Names the client for people who look at locks; the host name and process id if not given.
     *
     * @param name 1 to 200 characters without control characters
     * @return this builder
     * @throws IllegalArgumentException if it is not valid
     */
    public HoldfastBuilder clientName(String name) {
        if (name.isEmpty()
                || name.length() > LONGEST_CLIENT_NAME
                || name.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException(
                    "clientName must have 1 to " + LONGEST_CLIENT_NAME + " characters and no control characters");
        }
        this.clientName = name;
        return this;
    }

    /**
     * Sets the options for locks that are made without any.
     *
     * @param lockOptions the defaults
     * @return this builder
     */
    public HoldfastBuilder defaults(LockOptions lockOptions) {
        this.defaults = Objects.requireNonNull(lockOptions, "lockOptions");
        return this;
    }

    /**
     * Sets who is told of every event.
     *
     * @param eventListener the listener
     * @return this builder
     */
    public HoldfastBuilder listener(HoldfastListener eventListener) {
        this.listener = Objects.requireNonNull(eventListener, "eventListener");
        return this;
    }

    /**
     * Chooses where callbacks run and futures complete, instead of threads of the client's own (64 at most, and 256 for losses). What
     * it refuses runs on that pool. An executor that runs tasks on the calling thread is never given one on the threads
     * that watch deadlines or call the store.
     *
     * @param executor not shut down by the client
     * @return this builder
     */
    public HoldfastBuilder callbackExecutor(Executor executor) {
        this.callbackExecutor = Objects.requireNonNull(executor, "executor");
        return this;
    }

    /**
     * Limits how long one call to the store may take; two seconds if not given.
     *
     * @param limit from one millisecond to one hour
     * @return this builder
     * @throws IllegalArgumentException if it is out of range
     */
    public HoldfastBuilder commandTimeout(Duration limit) {
        if (limit.compareTo(Duration.ofMillis(1)) < 0 || limit.compareTo(Duration.ofHours(1)) > 0) {
            throw new IllegalArgumentException("commandTimeout must be from 1 ms to 1 hour, but was " + limit);
        }
        this.commandTimeout = limit;
        return this;
    }

    /**
     * Chooses whether a thread that waits for a near answer (of a server on the same machine, or of another thread of
     * this client) stays awake for some microseconds before it sleeps. That makes such waits several times shorter and
     * costs a little processor time. It is on by default, and always off where the process has one processor only.
     * Switch it off where processor time is metered.
     *
     * @param awake false to sleep at once
     * @return this builder
     */
    public HoldfastBuilder stayAwake(boolean awake) {
        this.stayAwake = awake;
        return this;
    }

    /**
     * Chooses whether {@link #build()} succeeds although the store cannot be reached yet.
     *
     * @param withoutCheck true for no check
     * @return this builder
     */
    public HoldfastBuilder lazy(boolean withoutCheck) {
        this.lazy = withoutCheck;
        return this;
    }

    /** On a single processor, whoever stays awake keeps others from what is waited for. */
    static boolean staysAwake(boolean wanted, int processors) {
        return wanted && processors > 1;
    }

    /**
     * Makes the client.
     *
     * @return the client
     * @throws IllegalArgumentException if the default lease time is not one that the store can give
     * @throws StoreMisconfiguredException if the URL, an option or the store's set-up is wrong
     * @throws StoreUnavailableException if the store does not answer, unless lazy
     */
    public Holdfast build() {
        boolean awake = staysAwake(stayAwake, Runtime.getRuntime().availableProcessors());
        return new Connector(url, store, options, credentials, clientName, commandTimeout, awake, lazy)
                .connect(defaults, listener, callbackExecutor);
    }
}
