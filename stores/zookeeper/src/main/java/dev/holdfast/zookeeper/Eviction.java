package dev.holdfast.zookeeper;

import dev.holdfast.LockView;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/** The last forced release of a name, written into the node of the name, which is deleted some time after its last use. */
final class Eviction {
    private static final String FORMAT = "holdfast eviction 1";
    private static final int LINES = 3;

    private Eviction() {}

    static byte[] write(String by, String reason) {
        return (FORMAT + "\n" + by.replace('\n', ' ') + "\n" + reason).getBytes(StandardCharsets.UTF_8);
    }

    /** Reads it, with the time of the server's clock at which it was written. */
    static Optional<LockView.Eviction> read(Session.Node lock) {
        String[] lines = new String(lock.data(), StandardCharsets.UTF_8).split("\n", LINES);
        if (lines.length < LINES || !lines[0].equals(FORMAT)) {
            return Optional.empty();
        }
        long ago = System.currentTimeMillis() - lock.stat().getMtime();
        return Optional.of(new LockView.Eviction(lines[1], lines[2], Duration.ofMillis(Math.max(0, ago))));
    }
}
