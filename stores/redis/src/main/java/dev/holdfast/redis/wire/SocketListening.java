package dev.holdfast.redis.wire;

import dev.holdfast.spi.ServerClock;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Listens on a connection of our own. */
final class SocketListening implements Listening {
    private static final byte[] PING = Encoding.of(Command.PING);

    private final SocketConnection connection;
    private final ServerClock clock;
    private final String where;
    private final Runnable atEnd;

    SocketListening(SocketConnection connection, ServerClock clock, String where, Runnable atEnd) {
        this.connection = connection;
        this.clock = clock;
        this.where = where;
        this.atEnd = atEnd;
    }

    @Override
    public void listen(byte[] channel, Listener listener) {
        try {
            connection.send(Command.SUBSCRIBE, channel);
            while (true) {
                Object said = connection.receive();
                if (said instanceof ServerRefusal refusal) {
                    throw refusal;
                }
                hear(said, listener);
            }
        } catch (BrokenConnection broken) {
            throw BrokenExchange.afterSending("the connection to " + where + " broke", false, broken);
        }
    }

    /** What a newer server may say besides is not for us. */
    private void hear(@Nullable Object said, Listener listener) {
        if (!(said instanceof List<?> words) || words.isEmpty() || !(words.get(0) instanceof byte[] kind)) {
            return;
        }
        switch (Answers.text(kind)) {
            case "subscribe" -> {
                // Silence is normal from now on; a heartbeat finds a dead connection.
                connection.setReadTimeout(0);
                listener.subscribed();
            }
            case "message" -> {
                if (words.size() == 3 && words.get(2) instanceof byte[] message) {
                    listener.message(message);
                }
            }
            case "pong" -> listener.pong();
            default -> {
                // Such as "unsubscribe".
            }
        }
    }

    @Override
    public void ping() {
        connection.tell(PING);
    }

    @Override
    public ServerClock clock() {
        return clock;
    }

    @Override
    public void cut() {
        connection.cut();
    }

    @Override
    public void close() {
        connection.cut();
        atEnd.run();
    }
}
