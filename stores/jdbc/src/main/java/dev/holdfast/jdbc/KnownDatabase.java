package dev.holdfast.jdbc;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;

/**
 * What locks of callers' transactions have found out about the database behind a data source, so that it is not asked again
 * at each lock. It is kept as long as the data source, because a program may well make a new {@link JdbcStore} for each
 * lock. Thread-safe.
 */
final class KnownDatabase {
    private static final Map<Key, KnownDatabase> BY_SOURCE = new ConcurrentHashMap<>();
    private static final ReferenceQueue<DataSource> GONE = new ReferenceQueue<>();

    /** What the tables that were seen begin with. */
    private final Set<String> tables = ConcurrentHashMap.newKeySet();

    private volatile boolean oneServer;

    /** A data source itself, which does not keep it: what it calls equal is up to the program, and may be nothing. */
    private static final class Key extends WeakReference<DataSource> {
        private final int hash;

        Key(DataSource source) {
            super(source, GONE);
            this.hash = System.identityHashCode(source);
        }

        @Override
        public int hashCode() {
            return hash;
        }

        @Override
        public boolean equals(Object other) {
            DataSource mine = get();
            return this == other || (mine != null && other instanceof Key key && key.refersTo(mine));
        }
    }

    static KnownDatabase behind(DataSource source) {
        for (Reference<?> gone = GONE.poll(); gone != null; gone = GONE.poll()) {
            BY_SOURCE.remove(gone);
        }
        return BY_SOURCE.computeIfAbsent(new Key(source), first -> new KnownDatabase());
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
