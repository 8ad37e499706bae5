package dev.holdfast.server.wire;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One request and its one answer. The answer may come from any thread, much later, and only the first one counts.
 * Thread-safe.
 */
public final class Call {
    static final String JSON = "application/json";
    private static final String PROBLEM = "application/problem+json";

    private final Connection connection;
    private final Channel channel;
    private final HttpVersion version;
    private final HttpMethod method;
    private final HttpHeaders headers;
    private final Target target;
    private final String body;
    private final boolean keepAlive;
    private final long arrivedNanos;
    private final AtomicReference<Stage> stage = new AtomicReference<>(Stage.OPEN);
    private volatile Runnable whenGone = () -> {};
    private volatile int status;
    private volatile String operation = "none";

    /** A call goes from open to answered or gone, once. */
    private enum Stage {
        OPEN,
        ANSWERED,
        GONE
    }

    Call(Connection connection, Channel channel, FullHttpRequest request, Target target, long arrivedNanos) {
        this.connection = connection;
        this.channel = channel;
        this.version = request.protocolVersion();
        this.method = request.method();
        this.headers = request.headers();
        this.target = target;
        this.body = request.content().toString(StandardCharsets.UTF_8);
        this.keepAlive = HttpUtil.isKeepAlive(request);
        this.arrivedNanos = arrivedNanos;
    }

    /** {@return the method, in capitals} */
    public String method() {
        return method.name();
    }

    /** {@return what is asked for} */
    public Target target() {
        return target;
    }

    /** {@return the body as text; empty if there is none} */
    public String body() {
        return body;
    }

    /** {@return when the request was complete, by the server's clock} */
    public long arrivedNanos() {
        return arrivedNanos;
    }

    /** {@return the first value of a header, or null} */
    public @Nullable String header(String name) {
        return headers.get(name);
    }

    /** {@return how many times a header was sent} */
    public int count(String name) {
        return headers.getAll(name).size();
    }

    /** {@return where the request comes from} */
    public InetSocketAddress remote() {
        return (InetSocketAddress) channel.remoteAddress();
    }

    /** {@return whom the client's certificate names, or null without one} */
    public @Nullable Principal certificate() {
        return connection.certificate();
    }

    /** Refuses an answer that may be long while the server holds too much that other clients have not read. */
    public void needRoom() {
        if (!connection.hasRoom()) {
            throw new Problem(
                    Problem.Code.UNAVAILABLE,
                    "this server holds as much as it may for clients that do not read; try later");
        }
    }

    /** {@return the status of the answer; 0 before there is one} */
    public int status() {
        return status;
    }

    /** {@return what kind of request it is, for numbers} */
    public String operation() {
        return operation;
    }

    /** Tells what kind of request it is. */
    public void operation(String kind) {
        operation = kind;
    }

    /** {@return whether the client went away before it had an answer} */
    public boolean isGone() {
        return stage.get() == Stage.GONE;
    }

    /**
     * Sets what to do if the client goes away before it has an answer; runs at once if it has already.
     *
     * @param action quick, blocks nowhere
     */
    public void onGone(Runnable action) {
        whenGone = action;
        if (isGone()) {
            action.run();
        }
    }

    /** {@return whether the client, which went away, had no answer yet}; called by the connection */
    boolean gone() {
        if (!stage.compareAndSet(Stage.OPEN, Stage.GONE)) {
            return false;
        }
        whenGone.run();
        return true;
    }

    /**
     * Answers with JSON.
     *
     * @param code the status
     * @param value the body
     * @param whenWritten is told whether all of it went out; not called if the client had gone, or was answered before
     * @return whether the answer is on its way
     */
    public boolean answer(int code, Object value, Consumer<Boolean> whenWritten) {
        return answer(code, JSON, Json.write(value).getBytes(StandardCharsets.UTF_8), Map.of(), whenWritten);
    }

    /**
     * Answers with JSON.
     *
     * @param code the status
     * @param value the body
     */
    public void answer(int code, Object value) {
        answer(code, value, written -> {});
    }

    /** Answers that it is done. */
    public void answerNothing() {
        answer(HttpResponseStatus.NO_CONTENT.code(), "", new byte[0], Map.of(), written -> {});
    }

    /**
     * Answers with a problem.
     *
     * @param problem what is wrong
     */
    public void fail(Problem problem) {
        Map<String, String> more = switch (problem.code()) {
            case UNAUTHORIZED -> Map.of("WWW-Authenticate", "Bearer realm=\"holdfast\"");
            case TOO_MANY, UNAVAILABLE, CANNOT_TELL -> Map.of("Retry-After", "1");
            case METHOD -> Map.of("Allow", problem.member("allow"));
            default -> Map.of();
        };
        byte[] json = problem.toJson().getBytes(StandardCharsets.UTF_8);
        answer(problem.code().status(), PROBLEM, json, more, written -> {});
    }

    /**
     * Answers with bytes.
     *
     * @param code the status
     * @param type the kind of content
     * @param content the body
     * @param more further headers
     * @param whenWritten is told whether all of it went out
     * @return whether the answer is on its way
     */
    public boolean answer(
            int code, String type, byte[] content, Map<String, String> more, Consumer<Boolean> whenWritten) {
        if (!stage.compareAndSet(Stage.OPEN, Stage.ANSWERED)) {
            return false;
        }
        status = code;
        boolean head = method.equals(HttpMethod.HEAD);
        FullHttpResponse response = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1,
                HttpResponseStatus.valueOf(code),
                head ? Unpooled.EMPTY_BUFFER : Unpooled.wrappedBuffer(content));
        response.headers().set(HttpHeaderNames.CONTENT_LENGTH, content.length);
        if (code == HttpResponseStatus.NO_CONTENT.code()) {
            response.headers().remove(HttpHeaderNames.CONTENT_LENGTH);
        } else {
            response.headers().set(HttpHeaderNames.CONTENT_TYPE, type);
        }
        StrictHeaders.add(response.headers());
        more.forEach((name, value) -> response.headers().set(name, value));
        connection.write(this, response, keepAlive, whenWritten);
        return true;
    }

    /**
     * Answers with a stream of events.
     *
     * @return the stream, or null if the client has gone
     */
    public @Nullable EventStream stream() {
        if (!stage.compareAndSet(Stage.OPEN, Stage.ANSWERED)) {
            return null;
        }
        status = HttpResponseStatus.OK.code();
        EventStream stream = connection.newStream(channel);
        connection.stream(this, stream, version.equals(HttpVersion.HTTP_1_1));
        return stream;
    }
}
