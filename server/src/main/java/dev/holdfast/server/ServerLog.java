package dev.holdfast.server;

import dev.holdfast.server.wire.Json;
import java.io.PrintStream;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;

/** Where a server writes what happens: one line for each event, for people or as JSON. Thread-safe. */
@FunctionalInterface
public interface ServerLog {
    /**
     * Writes an event.
     *
     * @param level {@code info}, {@code audit}, {@code warn} or {@code error}
     * @param event what happened, in a few words
     * @param fields more about it; no secrets
     */
    void write(String level, String event, Map<String, Object> fields);

    /** {@return a log that forgets everything} */
    static ServerLog none() {
        return (level, event, fields) -> {};
    }

    /** {@return a log of lines for people} */
    static ServerLog lines(PrintStream out) {
        return (level, event, fields) -> {
            StringBuilder line = new StringBuilder()
                    .append(Instant.now().truncatedTo(ChronoUnit.MILLIS))
                    .append(' ')
                    .append(level)
                    .append(' ')
                    .append(event);
            // Written as JSON, a hostile value can neither begin a new line nor steer a terminal.
            fields.forEach(
                    (key, value) -> line.append(' ').append(key).append('=').append(Json.write(value)));
            out.println(line);
        };
    }

    /** {@return a log of JSON objects, one for each line} */
    static ServerLog json(PrintStream out) {
        return (level, event, fields) -> {
            Map<String, Object> all = new LinkedHashMap<>();
            all.put("time", Instant.now().truncatedTo(ChronoUnit.MILLIS).toString());
            all.put("level", level);
            all.put("event", event);
            all.putAll(fields);
            out.println(Json.write(all));
        };
    }
}
