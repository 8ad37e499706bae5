package dev.holdfast.server.wire;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.LastHttpContent;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * An answer that goes on: server-sent events. It holds little for its reader, see {@link #keepsUp}; a reader that does not
 * read is cut off, and told so. Thread-safe.
 */
public final class EventStream {
    /** What a reader may leave unread before nothing more is sent to it. */
    private static final int MOST_UNREAD = 32 << 10;

    /** With less than this there is room for more. */
    private static final int LITTLE_UNREAD = 8 << 10;

    /** What the operating system holds besides; it would otherwise be up to some megabytes for each stream. */
    private static final int SEND_BUFFER = 64 << 10;

    /** How long a reader that is cut off has for the events before, and the last one. */
    private static final int LAST_WORD_SECONDS = 5;

    private final Channel channel;
    private final UnreadBytes ofAll;
    private final LongSupplier clock;
    private final Consumer<String> whenCut;
    private final AtomicReference<Stage> stage = new AtomicReference<>(Stage.OPEN);
    private final AtomicInteger unread = new AtomicInteger();
    private volatile long movedNanos;
    private volatile Runnable whenGone = () -> {};
    private volatile Runnable whenReady = () -> {};

    /** A stream goes from open to ended (by the server) or gone (the client went, or was cut off), once. */
    private enum Stage {
        OPEN,
        ENDED,
        GONE
    }

    EventStream(Channel channel, UnreadBytes ofAll, LongSupplier clock, Consumer<String> whenCut) {
        this.channel = channel;
        this.ofAll = ofAll;
        this.clock = clock;
        this.whenCut = whenCut;
        channel.config().setOption(ChannelOption.SO_SNDBUF, SEND_BUFFER);
    }

    /** {@return whether both sides are still there} */
    public boolean isOpen() {
        return stage.get() == Stage.OPEN;
    }

    /** {@return whether another event may be sent now: the reader has taken nearly all, and so have the others} */
    public boolean keepsUp() {
        return isOpen() && !isBehind() && ofAll.hasRoom();
    }

    /** {@return whether this reader has left so much unread that the next event cuts it off} */
    public boolean isBehind() {
        return unread.get() >= MOST_UNREAD;
    }

    /** {@return whether the reader has taken nothing for so long, though there was something} */
    public boolean isStuckFor(long nanos) {
        return unread.get() > 0 && clock.getAsLong() - movedNanos > nanos;
    }

    /**
     * Sets what to do when the reader has made room for more events.
     *
     * @param action quick, blocks nowhere
     */
    public void onReady(Runnable action) {
        whenReady = action;
    }

    /**
     * Sets what to do when the client goes away or is cut off; runs at once if that has happened. Not called when the server
     * ends the stream.
     *
     * @param action quick, blocks nowhere
     */
    public void onGone(Runnable action) {
        whenGone = action;
        if (stage.get() == Stage.GONE) {
            action.run();
        }
    }

    void gone() {
        if (stage.compareAndSet(Stage.OPEN, Stage.GONE)) {
            whenGone.run();
        }
    }

    /**
     * Sends an event. If the reader has left too much unread, it is cut off instead.
     *
     * @param event what kind
     * @param data its data, as {@link Json} writes it
     */
    public void send(String event, Object data) {
        if (isOpen() && isBehind()) {
            cut("this reader left " + MOST_UNREAD + " bytes of events unread");
            return;
        }
        write(text(event, data));
    }

    /** Sends a comment, which shows both sides that the other is there; not to a reader that has enough to read. */
    public void beat() {
        if (keepsUp()) {
            write(":\n\n");
        }
    }

    private static String text(String event, Object data) {
        return "event: " + event + "\ndata: " + Json.write(data) + "\n\n";
    }

    private void write(String text) {
        if (!isOpen()) {
            return;
        }
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (unread.getAndAdd(bytes.length) == 0) {
            movedNanos = clock.getAsLong();
        }
        ofAll.add(bytes.length);
        channel.writeAndFlush(new DefaultHttpContent(Unpooled.wrappedBuffer(bytes)))
                .addListener(written -> taken(bytes.length));
    }

    private void taken(int bytes) {
        ofAll.add(-bytes);
        movedNanos = clock.getAsLong();
        if (unread.addAndGet(-bytes) < LITTLE_UNREAD && isOpen()) {
            whenReady.run();
        }
    }

    /**
     * Ends the stream because its reader does not read. If it reads after all, the last event tells why.
     *
     * @param why what the reader did wrong
     */
    public void cut(String why) {
        if (stage.compareAndSet(Stage.OPEN, Stage.GONE)) {
            whenCut.accept(why);
            whenGone.run();
            String last = text("cut", Map.of("reason", "slow-reader", "detail", why));
            channel.write(new DefaultHttpContent(Unpooled.wrappedBuffer(last.getBytes(StandardCharsets.UTF_8))));
            close();
            channel.eventLoop().schedule(() -> channel.close(), LAST_WORD_SECONDS, TimeUnit.SECONDS);
        }
    }

    /** Ends the stream after what was sent. */
    public void end() {
        if (stage.compareAndSet(Stage.OPEN, Stage.ENDED)) {
            close();
        }
    }

    private void close() {
        channel.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT).addListener(written -> channel.close());
    }
}
