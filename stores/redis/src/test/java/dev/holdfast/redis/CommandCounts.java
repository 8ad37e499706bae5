package dev.holdfast.redis;

import dev.holdfast.rig.redis.RedisNode;
import java.util.Map;
import java.util.TreeMap;

/** How often a server has run each command, by its own count. Commands inside of scripts count too. */
public final class CommandCounts {
    private CommandCounts() {}

    public static void reset(RedisNode node) {
        node.ask("CONFIG", "RESETSTAT");
    }

    /** {@return the count of each command since the last reset, without the commands of this class and heartbeats} */
    public static Map<String, Long> of(RedisNode node) {
        Map<String, Long> counts = new TreeMap<>();
        String.valueOf(node.ask("INFO", "commandstats")).lines().forEach(line -> {
            if (line.startsWith("cmdstat_")) {
                String name = line.substring("cmdstat_".length(), line.indexOf(':'));
                String calls = line.substring(line.indexOf("calls=") + "calls=".length(), line.indexOf(','));
                counts.put(name, Long.parseLong(calls));
            }
        });
        counts.remove("config|resetstat");
        counts.remove("info");
        // Heartbeats come with time, not with what a test does.
        counts.remove("ping");
        return counts;
    }
}
