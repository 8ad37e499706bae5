package dev.holdfast.server.wire;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;

/** Listens at an address and hands complete requests to a handler, on a few threads however many clients there are. */
public final class HttpListener {
    private static final int THREADS = 4;
    private static final int LONGEST_LINE = 8_192;
    private static final int LONGEST_HEADERS = 16_384;
    private static final int BACKLOG = 1_024;
    private static final int PROBE_AFTER_SECONDS = 10;
    private static final int PROBE_EVERY_SECONDS = 5;
    private static final int PROBES = 3;

    private final Terms terms;
    private final Consumer<Call> handler;
    private final Events events;
    private final LongSupplier clock;
    private final EventLoopGroup loops;
    private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicInteger streams = new AtomicInteger();
    private final UnreadBytes unread;
    private @Nullable Channel listening;
    private volatile boolean stopping;

    /**
     * How it listens.
     *
     * @param address where
     * @param tls with which certificate, asked for each connection; null for none
     * @param longestBody the longest body, in bytes
     * @param mostConnections how many connections there may be
     * @param mostUnread how many bytes of events and long answers may be held for clients that do not read
     * @param requestSeconds how long a request may take to arrive
     * @param idleSeconds how long a connection may stay without one
     */
    public record Terms(
            InetSocketAddress address,
            Supplier<@Nullable SslContext> tls,
            int longestBody,
            int mostConnections,
            long mostUnread,
            int requestSeconds,
            int idleSeconds) {}

    /** Is told what happens, to count and to log it. Quick. */
    public interface Events {
        /** A call was answered, or its client went away. */
        void ended(Call call);

        /** Something that is no request was refused. */
        void refused(Problem problem);

        /** A stream was ended because its reader does not read. */
        void cut(InetSocketAddress reader, String why);
    }

    /**
     * Prepares to listen.
     *
     * @param terms how
     * @param handler gets every request, on a thread that it must not block
     * @param events is told what happens
     * @param clock tells the time in nanoseconds
     */
    public HttpListener(Terms terms, Consumer<Call> handler, Events events, LongSupplier clock) {
        this.terms = terms;
        this.handler = handler;
        this.events = events;
        this.clock = clock;
        this.unread = new UnreadBytes(terms.mostUnread);
        this.loops = new MultiThreadIoEventLoopGroup(
                THREADS, new DefaultThreadFactory("holdfast-http", true), NioIoHandler.newFactory());
    }

    /**
     * Begins to listen.
     *
     * @return the address, with the port that was chosen if none was named
     * @throws IOException if the address cannot be used
     */
    public InetSocketAddress start() throws IOException {
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(loops)
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .childHandler(new Initializer());
        try {
            listening = bootstrap.bind(terms.address).sync().channel();
        } catch (InterruptedException interrupted) {
            loops.shutdownGracefully();
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", interrupted);
        } catch (Exception refused) {
            loops.shutdownGracefully();
            throw new IOException(
                    "cannot listen at " + terms.address.getHostString() + ":" + terms.address.getPort() + ": "
                            + refused.getMessage(),
                    refused);
        }
        return (InetSocketAddress) Objects.requireNonNull(listening).localAddress();
    }

    /** {@return how many connections there are} */
    public int connectionCount() {
        return connections.size();
    }

    /** {@return how many requests are being answered} */
    public int callCount() {
        return calls.get();
    }

    /** {@return how many streams are open} */
    public int streamCount() {
        return streams.get();
    }

    /** {@return how many bytes are held for clients that have not read them} */
    public long unreadBytes() {
        return unread.held();
    }

    /** Accepts nobody any more; what has begun goes on. */
    public void stopAccepting() {
        stopping = true;
        if (listening != null) {
            listening.close().awaitUninterruptibly();
        }
    }

    /** Ends everything that is left. */
    public void close() {
        stopAccepting();
        connections.close().awaitUninterruptibly(1, TimeUnit.SECONDS);
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(2, TimeUnit.SECONDS);
    }

    boolean isStopping() {
        return stopping;
    }

    long nanos() {
        return clock.getAsLong();
    }

    void began(Call call) {
        calls.incrementAndGet();
        handler.accept(call);
    }

    void ended(Call call) {
        calls.decrementAndGet();
        events.ended(call);
    }

    void refused(Problem problem) {
        events.refused(problem);
    }

    UnreadBytes unread() {
        return unread;
    }

    void cut(InetSocketAddress reader, String why) {
        events.cut(reader, why);
    }

    void streams(int more) {
        streams.addAndGet(more);
    }

    FullHttpResponse plain(int status, byte[] json) {
        FullHttpResponse response = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(status), Unpooled.wrappedBuffer(json));
        response.headers().set(HttpHeaderNames.CONTENT_TYPE, "application/problem+json");
        response.headers().set(HttpHeaderNames.CONTENT_LENGTH, json.length);
        StrictHeaders.add(response.headers());
        return response;
    }

    Terms terms() {
        return terms;
    }

    private final class Initializer extends ChannelInitializer<SocketChannel> {
        @Override
        protected void initChannel(SocketChannel channel) {
            if (stopping || connections.size() >= terms.mostConnections) {
                channel.close();
                return;
            }
            connections.add(channel);
            // A machine that vanished is noticed by these where nothing is being sent.
            channel.config().setOption(NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPIDLE), PROBE_AFTER_SECONDS);
            channel.config()
                    .setOption(NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPINTERVAL), PROBE_EVERY_SECONDS);
            channel.config().setOption(NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPCOUNT), PROBES);
            Connection connection = new Connection(HttpListener.this);
            ChannelPipeline pipeline = channel.pipeline();
            SslContext tls = terms.tls.get();
            if (tls != null) {
                pipeline.addLast(tls.newHandler(channel.alloc()));
            }
            pipeline.addLast(new FirstBytes(connection));
            pipeline.addLast(new HttpServerCodec(new HttpDecoderConfig()
                    .setMaxInitialLineLength(LONGEST_LINE)
                    .setMaxHeaderSize(LONGEST_HEADERS)
                    .setMaxChunkSize(LONGEST_LINE)));
            pipeline.addLast(new BoundedBodies(terms.longestBody, connection));
            pipeline.addLast(connection);
        }
    }

    /** Tells the connection that a request begins to arrive. */
    private static final class FirstBytes extends ChannelInboundHandlerAdapter {
        private final Connection connection;

        FirstBytes(Connection connection) {
            this.connection = connection;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object bytes) throws Exception {
            connection.bytesCame();
            super.channelRead(ctx, bytes);
        }
    }

    /** Puts bodies together, and answers those that are too long. */
    private static final class BoundedBodies extends HttpObjectAggregator {
        private final Connection connection;
        private final int most;

        BoundedBodies(int most, Connection connection) {
            super(most);
            this.most = most;
            this.connection = connection;
        }

        /** Only tells to go on; what is refused is refused where everything else is, with a problem in its body. */
        @Override
        protected @Nullable Object newContinueResponse(HttpMessage start, int longest, ChannelPipeline pipeline) {
            boolean goOn = HttpUtil.is100ContinueExpected(start)
                    && HttpUtil.getContentLength(start, -1L) <= longest
                    && !connection.isBusy();
            return goOn ? new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE) : null;
        }

        @Override
        protected void handleOversizedMessage(ChannelHandlerContext ctx, HttpMessage oversized) {
            connection.refuse(ctx, new Problem(Problem.Code.TOO_LARGE, "the body may have at most " + most + " bytes"));
        }
    }
}
