package dev.holdfast.rig.zookeeper;

import dev.holdfast.rig.tls.Certificates;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a ZooKeeper server is set up. Immutable; every {@code with…} method returns a changed copy.
 *
 * @param tick the server's unit of time: sessions last at least two of them, and end at a multiple
 * @param synchronous whether every write is on disk before it is answered, as ZooKeeper does by default; otherwise a write
 *     survives the death of its process but not that of the machine
 * @param optimised whether the server's JVM compiles for speed, for benchmarks, or for a quick start
 * @param certificates if clients must speak TLS; or null
 * @param properties further system properties of the server's JVM, each {@code NAME=VALUE}
 */
public record ZooKeeperSettings(
        Duration tick,
        boolean synchronous,
        boolean optimised,
        @Nullable Certificates certificates,
        List<String> properties) {
    private static final ZooKeeperSettings DEFAULTS =
            new ZooKeeperSettings(Duration.ofMillis(200), false, false, null, List.of());

    /** Copies the list. */
    public ZooKeeperSettings {
        properties = List.copyOf(properties);
    }

    /** {@return short ticks, no waiting for the disk, no TLS} */
    public static ZooKeeperSettings defaults() {
        return DEFAULTS;
    }

    /**
     * Sets the server's unit of time.
     *
     * @param time of one tick
     * @return the changed copy
     */
    public ZooKeeperSettings withTick(Duration time) {
        return new ZooKeeperSettings(time, synchronous, optimised, certificates, properties);
    }

    /** {@return a copy that is fit for measurements: compiled for speed} */
    public ZooKeeperSettings forMeasurements() {
        return new ZooKeeperSettings(tick, synchronous, true, certificates, properties);
    }

    /** {@return a copy whose server writes to disk before it answers} */
    public ZooKeeperSettings withSynchronousWrites() {
        return new ZooKeeperSettings(tick, true, optimised, certificates, properties);
    }

    /**
     * Asks for TLS.
     *
     * @param made shown to clients
     * @return the changed copy
     */
    public ZooKeeperSettings withTls(Certificates made) {
        return new ZooKeeperSettings(tick, synchronous, optimised, made, properties);
    }

    /**
     * Sets a system property of the server's JVM.
     *
     * @param name for example {@code znode.container.checkIntervalMs}
     * @param value its value
     * @return the changed copy
     */
    public ZooKeeperSettings withProperty(String name, String value) {
        List<String> all = new ArrayList<>(properties);
        all.add(name + "=" + value);
        return new ZooKeeperSettings(tick, synchronous, optimised, certificates, all);
    }
}
