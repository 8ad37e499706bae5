package dev.holdfast.server.wire;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.LastHttpContent;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicReference;

/**
 * An answer that goes on: server-sent events. A reader that does not keep up is cut off. Thread-safe.
 */
public final class EventStream {
    private final Channel channel;
    private final AtomicReference<Stage> stage = new AtomicReference<>(Stage.OPEN);
    private volatile Runnable whenGone = () -> {};

    /** A stream goes from open to ended (by the server) or gone (the client), once. */
    private enum Stage {
        OPEN,
        ENDED,
        GONE
    }

    EventStream(Channel channel) {
        this.channel = channel;
    }

    /** Lets a reader lag by more than usual before it is cut off. */
    public void allowUnread(int bytes) {
        channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(bytes / 2, bytes));
    }

    /** {@return whether both sides are still there} */
    public boolean isOpen() {
        return stage.get() == Stage.OPEN;
    }

    /** {@return whether the client has read what was sent, but for a little} */
    public boolean keepsUp() {
        return channel.isWritable();
    }

    /**
     * Sets what to do when the client goes away; runs at once if it has. Not called when the server ends the stream.
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
     * Sends an event. If the client does not keep up, it is cut off instead.
     *
     * @param event what kind
     * @param data its data, as {@link Json} writes it
     */
    public void send(String event, Object data) {
        write("event: " + event + "\ndata: " + Json.write(data) + "\n\n");
    }

    /** Sends a comment, which shows both sides that the other is there. */
    public void beat() {
        write(":\n\n");
    }

    private void write(String text) {
        if (!isOpen()) {
            return;
        }
        if (!channel.isWritable()) {
            channel.close();
            return;
        }
        channel.writeAndFlush(new DefaultHttpContent(Unpooled.wrappedBuffer(text.getBytes(StandardCharsets.UTF_8))));
    }

    /** Ends the stream after what was sent. */
    public void end() {
        if (stage.compareAndSet(Stage.OPEN, Stage.ENDED)) {
            channel.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT).addListener(written -> channel.close());
        }
    }
}
