package dev.holdfast.etcd;

import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreContext;
import dev.holdfast.spi.StoreProvider;
import dev.holdfast.spi.StoreUri;
import io.grpc.ManagedChannel;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.File;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Opens {@code etcd://host:port,host:port/prefix} and {@code etcd+tls://…}. Options: {@code session} (how long a session lives
 * without a keep-alive), {@code ca}, {@code cert} and {@code key} (PEM files).
 */
public final class EtcdStoreProvider implements StoreProvider {
    /** A line of thousands of waiters. */
    private static final int LARGEST_REPLY_BYTES = 64 << 20;

    /** etcd takes more frequent pings than every 5 s for an attack. */
    private static final Duration PING_EVERY = Duration.ofSeconds(10);

    /** Made by {@link java.util.ServiceLoader}. */
    public EtcdStoreProvider() {}

    @Override
    public Set<String> schemes() {
        return Set.of(Address.SCHEME, Address.ENCRYPTED_SCHEME);
    }

    @Override
    public Set<String> options() {
        return Set.of("session", "ca", "cert", "key");
    }

    @Override
    public LockStore open(StoreUri uri, StoreContext context) {
        Address address = Address.parse(uri);
        Loading.done();
        SslContext tls = address.encrypted() ? tls(address) : null;
        EventLoopGroup loop = new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory("holdfast-etcd", true), NioIoHandler.newFactory());
        List<Member> members = address.servers().stream()
                .map(server -> Member.at(() -> connect(server, tls, loop, context.commandTimeout())))
                .toList();
        // Clients spread over the members.
        int first = context.random().nextInt(members.size());
        Wire wire = new Wire(
                new Members(members, first, () -> loop.shutdownGracefully(0, 1, TimeUnit.SECONDS)),
                context,
                address.login());
        return new EtcdStore(wire, new Settings(new Layout(address.prefix()), address.session()), context);
    }

    private static ManagedChannel connect(
            Address.Server server, @Nullable SslContext tls, EventLoopGroup loop, Duration commandTimeout) {
        NettyChannelBuilder builder = NettyChannelBuilder.forAddress(server.host(), server.port())
                .eventLoopGroup(loop)
                .channelType(NioSocketChannel.class)
                .directExecutor()
                .disableRetry()
                .maxInboundMessageSize(LARGEST_REPLY_BYTES)
                .keepAliveTime(PING_EVERY.toMillis(), TimeUnit.MILLISECONDS)
                .keepAliveTimeout(Math.max(1, commandTimeout.toMillis()), TimeUnit.MILLISECONDS);
        return (tls == null ? builder.usePlaintext() : builder.sslContext(tls)).build();
    }

    private static SslContext tls(Address address) {
        try {
            SslContextBuilder builder = GrpcSslContexts.forClient();
            if (address.ca() != null) {
                builder.trustManager(new File(address.ca()));
            }
            if (address.cert() != null && address.key() != null) {
                builder.keyManager(new File(address.cert()), new File(address.key()));
            }
            return builder.build();
        } catch (SSLException | IllegalArgumentException unusable) {
            throw new StoreMisconfiguredException(
                    "the files of 'ca', 'cert' and 'key' cannot be used for TLS; they have to be PEM files, the key in"
                            + " PKCS #8",
                    unusable);
        }
    }
}
