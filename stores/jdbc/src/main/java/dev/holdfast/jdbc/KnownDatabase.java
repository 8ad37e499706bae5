package dev.holdfast.jdbc;

import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;

/**
 * What locks of callers' transactions have found out about the database behind a data source, so that it is not asked again
 * at each lock. It is kept as long as the data source, because a program may well make a new {@link JdbcStore} for each
 * lock. Thread-safe.
 */
final class KnownDatabase {
    private static final Map<DataSource, KnownDatabase> BY_SOURCE = Collections.synchronizedMap(new WeakHashMap<>());

    /** What the tables that were seen begin with. */
    private final Set<String> tables = ConcurrentHashMap.newKeySet();

    private volatile boolean oneServer;

    static KnownDatabase behind(DataSource source) {
        return BY_SOURCE.computeIfAbsent(source, first -> new KnownDatabase());
    }

    boolean hasTables(String prefix) {
        return tables.contains(prefix);
    }

    void hasTables(String prefix, boolean there) {
        if (there) {
            tables.add(prefix);
        } else {
            tables.remove(prefix);
        }
    }

    /** {@return whether it was asked, and is one server that is not too old} */
    boolean isOneServer() {
        return oneServer;
    }

    void isAskedFor() {
        oneServer = true;
    }
}
