package dev.holdfast.server.wire;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.Deque;

/** The stream of a reader that takes nothing until it is told to. */
public final class HeldBack extends ChannelOutboundHandlerAdapter {
    private final Deque<ChannelPromise> writes = new ArrayDeque<>();
    private final EmbeddedChannel channel = new EmbeddedChannel(this);

    /** {@return the stream} */
    public EventStream stream() {
        return new EventStream(channel, new UnreadBytes(Long.MAX_VALUE), System::nanoTime, why -> {});
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        ReferenceCountUtil.release(message);
        writes.add(promise);
    }

    /** {@return how many events there are that the reader has not taken} */
    public int untaken() {
        return writes.size();
    }

    /** The reader takes what there is, and what comes of that. */
    public void takeAll() {
        while (!writes.isEmpty()) {
            writes.remove().setSuccess();
            channel.runPendingTasks();
        }
    }
}
