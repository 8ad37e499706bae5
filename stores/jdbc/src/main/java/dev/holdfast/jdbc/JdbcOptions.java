package dev.holdfast.jdbc;

import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.jdbc.dialect.Epochs;
import dev.holdfast.jdbc.dialect.Schema;

/**
 * How a store uses its database.
 *
 * @param strategy what a lock is
 * @param prefix what the names of the tables begin with
 * @param schema what to do about missing tables
 * @param connections how many may be used at the same time
 * @param notifications whether PostgreSQL's notifications are used
 * @param generation raised by the operator when another server takes over
 * @param anyCluster whether clusters that are known not to work are used all the same
 */
record JdbcOptions(
        Strategy strategy,
        String prefix,
        SchemaMode schema,
        int connections,
        boolean notifications,
        int generation,
        boolean anyCluster) {
    static final JdbcOptions DEFAULTS =
            new JdbcOptions(Strategy.LEASE, "holdfast_", SchemaMode.CREATE, 8, true, 0, false);

    private static final int MOST_CONNECTIONS = 1_000;

    JdbcOptions {
        if (connections < 1 || connections > MOST_CONNECTIONS) {
            throw new StoreMisconfiguredException(
                    "the number of connections must be from 1 to " + MOST_CONNECTIONS + ", but was " + connections);
        }
        if (generation < 0 || generation > Epochs.MOST_GENERATIONS) {
            throw new StoreMisconfiguredException(
                    "the generation must be from 0 to " + Epochs.MOST_GENERATIONS + ", but was " + generation);
        }
        tables(strategy, prefix, schema);
    }

    Schema tables() {
        return tables(strategy, prefix, schema);
    }

    private static Schema tables(Strategy strategy, String prefix, SchemaMode mode) {
        return new Schema(strategy == Strategy.LEASE ? "lease" : "session", prefix, mode);
    }

    JdbcOptions withStrategy(Strategy chosen) {
        return new JdbcOptions(chosen, prefix, schema, connections, notifications, generation, anyCluster);
    }

    JdbcOptions withPrefix(String chosen) {
        return new JdbcOptions(strategy, chosen, schema, connections, notifications, generation, anyCluster);
    }

    JdbcOptions withSchema(SchemaMode chosen) {
        return new JdbcOptions(strategy, prefix, chosen, connections, notifications, generation, anyCluster);
    }

    JdbcOptions withConnections(int most) {
        return new JdbcOptions(strategy, prefix, schema, most, notifications, generation, anyCluster);
    }

    JdbcOptions withNotifications(boolean wanted) {
        return new JdbcOptions(strategy, prefix, schema, connections, wanted, generation, anyCluster);
    }

    JdbcOptions withGeneration(int number) {
        return new JdbcOptions(strategy, prefix, schema, connections, notifications, number, anyCluster);
    }

    JdbcOptions withAnyCluster(boolean allowed) {
        return new JdbcOptions(strategy, prefix, schema, connections, notifications, generation, allowed);
    }
}
