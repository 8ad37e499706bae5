-- Holdfast, strategies "row" and "advisory", format 1. Times are microseconds since 2025-01-01 by the database's clock.

-- The last epoch of each name, and who holds it. The lock itself is held by a session of the database, not by this row.
CREATE TABLE IF NOT EXISTS ${prefix}session (
    name            VARBINARY(255) NOT NULL PRIMARY KEY,
    epoch           BIGINT NOT NULL,
    owner           CHAR(32),
    backend         BIGINT,
    client_name     VARCHAR(200),
    label           VARCHAR(200),
    since           BIGINT NOT NULL,
    evicted_epoch   BIGINT,
    evicted_at      BIGINT,
    evicted_by      VARCHAR(200),
    evicted_reason  VARCHAR(1000)
);

-- What the strategy "row" locks with SELECT ... FOR UPDATE.
CREATE TABLE IF NOT EXISTS ${prefix}row (
    name            VARBINARY(255) NOT NULL PRIMARY KEY
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
