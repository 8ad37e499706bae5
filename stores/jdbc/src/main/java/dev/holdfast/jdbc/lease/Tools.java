package dev.holdfast.jdbc.lease;

import dev.holdfast.StoreTraits;
import dev.holdfast.jdbc.dialect.Connections;
import dev.holdfast.jdbc.dialect.Database;
import dev.holdfast.jdbc.dialect.Dialect;
import dev.holdfast.jdbc.dialect.Durability;
import dev.holdfast.jdbc.dialect.Epochs;
import dev.holdfast.jdbc.dialect.Floor;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * What the strategy lease does its steps with: made when the database has answered for the first time, because each database
 * has steps of its own. Immutable.
 */
record Tools(
        StoreTraits traits,
        LeaseSql sql,
        Ledger ledger,
        AtOnce atOnce,
        @Nullable OneTrip oneTrip,
        @Nullable HandOver handOver,
        SharedReleases releases,
        Renewals renewals,
        Polls polls,
        Views views,
        Purge purge) {

    /** Makes them for a store whose database has been checked. */
    static Tools of(LeaseStore store, Dialect dialect, Connection connection) throws SQLException {
        LeaseStore.Options options = store.options();
        boolean notifies = options.listen();
        Database database = store.database();
        Epochs epochs = Epochs.of(dialect, connection, options.generation());
        LeaseSql sql = new LeaseSql(epochs, store.prefix());
        Floor floor = new Floor(epochs, store.prefix());
        Patience patience = Patience.of(store.context().commandTimeout());
        Ledger ledger = new Ledger(sql, floor, store.client(), patience, notifies);
        Renewals renewals = new Renewals(database, sql, ledger, store.watch());
        AtOnce atOnce = new AtOnce(sql, floor, store.client());
        OneTrip oneTrip =
                dialect == Dialect.POSTGRESQL ? new OneTrip(sql, atOnce, store.client(), patience, notifies) : null;
        Connections connections = database.connections();
        return new Tools(
                LeaseTraits.of(
                        dialect == Dialect.POSTGRESQL && notifies, Durability.survivesRestart(dialect, connection)),
                sql,
                ledger,
                atOnce,
                oneTrip,
                dialect == Dialect.MARIADB ? new HandOverOnMariaDb(sql) : oneTrip,
                new SharedReleases(
                        connections.most(), connections.budget(), store::releaseOne, store::releaseInTransaction),
                renewals,
                new Polls(store, database, sql, ledger, patience, renewals),
                new Views(database, sql, ledger),
                new Purge(store, database, sql, floor));
    }
}
