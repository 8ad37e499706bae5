package dev.holdfast.etcd;

import dev.holdfast.StoreFactory;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreContext;
import io.grpc.Channel;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Locks over a gRPC channel that the program already has:
 *
 * <pre>{@code
 * Holdfast locks = Holdfast.builder().store(EtcdLocks.over(channel)).build();
 * }</pre>
 *
 * <p>The channel is not closed. Which member it goes to, and how it is secured, is its own matter. Immutable; every
 * {@code with…} method returns a changed copy.
 */
public final class EtcdLocks implements StoreFactory {
    private final Channel channel;
    private final String prefix;
    private final Duration session;
    private final @Nullable Credentials credentials;

    /** A record instead of the login itself, which changes. */
    private record Credentials(String user, String password) {}

    private EtcdLocks(Channel channel, String prefix, Duration session, @Nullable Credentials credentials) {
        this.channel = channel;
        this.prefix = prefix;
        this.session = session;
        this.credentials = credentials;
    }

    /**
     * Uses a channel.
     *
     * @param channel to a member of the cluster, or to several; closed by the caller after Holdfast
     * @return locks below {@code holdfast/}
     */
    public static EtcdLocks over(Channel channel) {
        return new EtcdLocks(
                Objects.requireNonNull(channel, "channel"), Address.DEFAULT_PREFIX, Address.DEFAULT_SESSION, null);
    }

    /**
     * Chooses where the keys are.
     *
     * @param keys what they begin with
     * @return the changed copy
     * @throws dev.holdfast.StoreMisconfiguredException if it cannot be one
     */
    public EtcdLocks withPrefix(String keys) {
        return new EtcdLocks(channel, Address.checkedPrefix(keys, keys), session, credentials);
    }

    /**
     * Chooses how long a session lives without a keep-alive.
     *
     * @param timeout from two seconds to five minutes
     * @return the changed copy
     * @throws dev.holdfast.StoreMisconfiguredException if it is shorter or longer
     */
    public EtcdLocks withSession(Duration timeout) {
        return new EtcdLocks(channel, prefix, Address.checkedSession(timeout, timeout.toString()), credentials);
    }

    /**
     * Signs in at etcd; not needed if the channel does so.
     *
     * @param user the user
     * @param password the password
     * @return the changed copy
     */
    public EtcdLocks withUser(String user, String password) {
        return new EtcdLocks(channel, prefix, session, new Credentials(user, password));
    }

    @Override
    public LockStore open(StoreContext context) {
        Login login = credentials == null ? null : new Login(credentials.user(), credentials.password());
        Wire wire = new Wire(new Members(List.of(Member.lent(channel)), 0, () -> {}), context, login);
        return new EtcdStore(wire, new Settings(new Layout(prefix), session), context);
    }
}
