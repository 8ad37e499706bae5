package dev.holdfast.redis.wire;

import dev.holdfast.spi.ShortWait;
import java.time.Duration;
import java.util.List;

/** Connections of our own for tests that ask a server themselves. */
public final class PlainConnection {
    private PlainConnection() {}

    /** Connects to a server on this machine. */
    public static Connection to(int port) {
        Deadline deadline = Deadline.in(System::nanoTime, Duration.ofSeconds(30));
        return new Connector(new HostAndPort("127.0.0.1", port), null, () -> new ShortWait(true))
                .connect(List.of(), List.of(), deadline, new Opening(deadline));
    }
}
