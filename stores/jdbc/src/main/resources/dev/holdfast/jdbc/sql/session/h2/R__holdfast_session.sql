-- Holdfast, strategies "row" and "advisory", format 1. Times are microseconds since 2025-01-01 by the database's clock.

-- One row per name that was ever used: the last epoch that was noted, and the last forced release.
CREATE TABLE IF NOT EXISTS ${prefix}session (
    name            VARBINARY(255) NOT NULL PRIMARY KEY,
    epoch           BIGINT NOT NULL,
    evicted_low     BIGINT,
    evicted_high    BIGINT,
    evicted_at      BIGINT,
    evicted_by      VARCHAR(200),
    evicted_reason  VARCHAR(1000)
);

-- Who holds a name, for people. The lock itself is held by a session of the database, not by this row.
CREATE TABLE IF NOT EXISTS ${prefix}holder (
    name            VARBINARY(255) NOT NULL,
    owner           CHAR(32) NOT NULL,
    kind            SMALLINT NOT NULL,
    capacity        INTEGER NOT NULL,
    units           INTEGER NOT NULL,
    epoch           BIGINT NOT NULL,
    backend         BIGINT NOT NULL,
    client_name     VARCHAR(200) NOT NULL,
    label           VARCHAR(200) NOT NULL,
    since           BIGINT NOT NULL,
    PRIMARY KEY (name, owner)
);

-- What the strategy "row" locks: slot 0 stands for the name, the others for the permits of a semaphore.
CREATE TABLE IF NOT EXISTS ${prefix}row (
    name            VARBINARY(255) NOT NULL,
    slot            INTEGER NOT NULL,
    PRIMARY KEY (name, slot)
);

-- One row: the format, and an epoch below which no name that has no row can have been granted.
CREATE TABLE IF NOT EXISTS ${prefix}meta (
    id              INTEGER NOT NULL PRIMARY KEY,
    format          INTEGER NOT NULL,
    floor_epoch     BIGINT NOT NULL,
    purged_at       BIGINT NOT NULL
);

MERGE INTO ${prefix}meta USING (VALUES (1)) v (id) ON ${prefix}meta.id = v.id
    WHEN NOT MATCHED THEN INSERT (id, format, floor_epoch, purged_at) VALUES (1, 1, 0, 0);
