package dev.holdfast.server.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.handler.ssl.SslHandler;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/**
 * One client's connection: reads requests, has one answered after the other, and notices when the client goes away, also
 * while a request waits. All its state belongs to its event loop.
 */
final class Connection extends SimpleChannelInboundHandler<FullHttpRequest> {
    /** Requests that were sent before the answer to an earlier one; more end the connection. */
    private static final int MOST_AHEAD = 16;

    /** And so many bytes of them, unless one alone has more: a connection may wait for an hour with them. */
    private static final int MOST_BYTES_AHEAD = 16 << 10;

    private final HttpListener listener;
    private final Deque<Ahead> ahead = new ArrayDeque<>();
    private @Nullable ChannelHandlerContext context;
    private @Nullable Call current;
    private @Nullable EventStream stream;
    private boolean ending;

    /** Whether a part of the next request is there. */
    private boolean arriving;

    /** Ends the connection when the client takes too long. */
    private @Nullable Future<?> patience;

    private record Ahead(Call call, int bytes) {}

    Connection(HttpListener listener) {
        this.listener = listener;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) throws Exception {
        expectWithin(listener.terms().idleSeconds());
        super.channelActive(ctx);
    }

    void bytesCame() {
        if (!arriving && current == null && stream == null) {
            arriving = true;
            expectWithin(listener.terms().requestSeconds());
        }
    }

    private void expectWithin(int seconds) {
        forgetPatience();
        ChannelHandlerContext ctx = Objects.requireNonNull(context, "context");
        patience = ctx.executor().schedule(() -> ctx.close(), seconds, TimeUnit.SECONDS);
    }

    private void forgetPatience() {
        if (patience != null) {
            patience.cancel(false);
            patience = null;
        }
        arriving = false;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
        if (ending || stream != null) {
            return;
        }
        forgetPatience();
        Call call;
        try {
            if (request.decoderResult().isFailure()) {
                throw undecodable(request.decoderResult().cause());
            }
            refuseOtherText(request.content());
            call = new Call(this, ctx.channel(), request, Target.parse(request.uri()), listener.nanos());
        } catch (Problem malformed) {
            refuse(ctx, malformed);
            return;
        }
        if (current != null) {
            int bytes = bytes(request);
            int before = ahead.stream().mapToInt(Ahead::bytes).sum();
            if (ahead.size() >= MOST_AHEAD || (before > 0 && before + bytes > MOST_BYTES_AHEAD)) {
                ctx.close();
                return;
            }
            ahead.add(new Ahead(call, bytes));
            return;
        }
        begin(call);
    }

    private static int bytes(FullHttpRequest request) {
        int bytes = request.uri().length() + request.content().readableBytes();
        for (Map.Entry<String, String> header : request.headers()) {
            bytes += header.getKey().length() + header.getValue().length();
        }
        return bytes;
    }

    private void begin(Call call) {
        current = call;
        listener.began(call);
    }

    /** {@return whether an earlier request has not been answered to its end, so that whatever is sent would be taken for its answer} */
    boolean isBusy() {
        return current != null || stream != null;
    }

    /** Answers what never became a call, and ends the connection, because nobody knows where the next request begins. */
    void refuse(ChannelHandlerContext ctx, Problem problem) {
        ending = true;
        if (isBusy()) {
            listener.refused(problem);
            ctx.close();
            return;
        }
        byte[] json = problem.toJson().getBytes(StandardCharsets.UTF_8);
        FullHttpResponse response = listener.plain(problem.code().status(), json);
        response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        listener.refused(problem);
        ctx.writeAndFlush(response).addListener(written -> {
            // A client that is still sending would lose the answer if the connection were closed under it.
            if (ctx.channel() instanceof DuplexChannel duplex) {
                duplex.shutdownOutput();
            }
            ctx.executor().schedule(() -> ctx.close(), 1, TimeUnit.SECONDS);
        });
    }

    private static Problem undecodable(Throwable cause) {
        if (cause instanceof TooLongHttpLineException) {
            return new Problem(Problem.Code.URI_TOO_LONG, "the path is too long");
        }
        if (cause instanceof TooLongHttpHeaderException || cause instanceof TooLongFrameException) {
            return new Problem(Problem.Code.HEADERS_TOO_LARGE, "the headers are too long");
        }
        return new Problem(Problem.Code.MALFORMED, "this is not HTTP/1.1");
    }

    private static void refuseOtherText(ByteBuf content) {
        if (!ByteBufUtil.isText(content, StandardCharsets.UTF_8)) {
            throw new Problem(Problem.Code.MALFORMED, "the body is not UTF-8");
        }
    }

    /** Writes the answer of a call, from any thread. */
    void write(Call call, FullHttpResponse response, boolean keepAlive, Consumer<Boolean> whenWritten) {
        ChannelHandlerContext ctx = Objects.requireNonNull(context, "context");
        ctx.executor().execute(() -> {
            boolean stays = keepAlive && !ending && !listener.isStopping();
            HttpUtil.setKeepAlive(response, stays);
            int bytes = response.content().readableBytes();
            listener.unread().add(bytes);
            // The client has to read it, and what it asks for next is not answered before.
            expectWithin(listener.terms().idleSeconds());
            ctx.writeAndFlush(response).addListener(written -> {
                listener.unread().add(-bytes);
                forgetPatience();
                listener.ended(call);
                whenWritten.accept(written.isSuccess());
                if (!stays || !written.isSuccess()) {
                    ctx.close();
                } else {
                    answered(call);
                }
            });
        });
    }

    boolean hasRoom() {
        return listener.unread().hasRoom();
    }

    private void answered(Call call) {
        if (current == call) {
            current = null;
            Ahead next = ahead.poll();
            if (next != null) {
                begin(next.call);
            } else if (patience == null) {
                expectWithin(listener.terms().idleSeconds());
            }
        }
    }

    EventStream newStream(Channel channel) {
        return new EventStream(
                channel,
                listener.unread(),
                listener::nanos,
                why -> listener.cut((InetSocketAddress) channel.remoteAddress(), why));
    }

    void stream(Call call, EventStream opened, boolean chunked) {
        ChannelHandlerContext ctx = Objects.requireNonNull(context, "context");
        HttpResponse response = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
        response.headers().set(HttpHeaderNames.CONTENT_TYPE, "text/event-stream");
        if (chunked) {
            HttpUtil.setTransferEncodingChunked(response, true);
        }
        response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        // Proxies of the nginx kind would keep events back to send more at once.
        response.headers().set("X-Accel-Buffering", "no");
        StrictHeaders.add(response.headers());
        ctx.executor().execute(() -> {
            if (!ctx.channel().isActive()) {
                opened.gone();
                return;
            }
            stream = opened;
            current = null;
            listener.streams(1);
        });
        ctx.channel().writeAndFlush(response);
        listener.ended(call);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) throws Exception {
        ending = true;
        forgetPatience();
        if (current != null && current.gone()) {
            listener.ended(current);
        }
        ahead.clear();
        if (stream != null) {
            listener.streams(-1);
            stream.gone();
        }
        super.channelInactive(ctx);
    }

    /** A broken connection is the client's business, and told by its end. */
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ctx.close();
    }

    @Nullable
    Principal certificate() {
        SslHandler tls = Objects.requireNonNull(context, "context").pipeline().get(SslHandler.class);
        try {
            return tls == null ? null : tls.engine().getSession().getPeerPrincipal();
        } catch (SSLPeerUnverifiedException without) {
            return null;
        }
    }
}
