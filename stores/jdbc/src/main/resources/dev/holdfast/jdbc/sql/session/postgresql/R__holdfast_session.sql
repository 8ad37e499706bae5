-- Holdfast, strategies "row" and "advisory", format 1. Times are microseconds since 2025-01-01 by the database's clock.

-- One row per name that was ever used: the last epoch that was noted, and the last forced release.
CREATE TABLE IF NOT EXISTS ${prefix}session (
    name            VARCHAR(255) COLLATE "C" NOT NULL PRIMARY KEY,
    epoch           BIGINT NOT NULL,
    evicted_low     BIGINT,
    evicted_high    BIGINT,
    evicted_at      BIGINT,
    evicted_by      VARCHAR(200),
    evicted_reason  VARCHAR(1000)
) WITH (fillfactor = 50);

-- Who holds a name, for people. The lock itself is held by a session of the database, not by this row.
CREATE TABLE IF NOT EXISTS ${prefix}holder (
    name            VARCHAR(255) COLLATE "C" NOT NULL,
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
    name            VARCHAR(255) COLLATE "C" NOT NULL,
    slot            INTEGER NOT NULL,
    PRIMARY KEY (name, slot)
);

-- Whose session it is that holds advisory locks, for people; a number may be used again, but not with the same beginning.
CREATE TABLE IF NOT EXISTS ${prefix}seat (
    backend         BIGINT NOT NULL PRIMARY KEY,
    started         BIGINT NOT NULL,
    client_name     VARCHAR(200) NOT NULL,
    label           VARCHAR(200) NOT NULL
);

-- The epochs of advisory locks: they grow, whatever becomes of the transaction. Clients raise it to the time when they connect.
CREATE SEQUENCE IF NOT EXISTS ${prefix}epoch;

-- One row: the format, and an epoch below which no name that has no row can have been granted.
CREATE TABLE IF NOT EXISTS ${prefix}meta (
    id              INTEGER NOT NULL PRIMARY KEY,
    format          INTEGER NOT NULL,
    floor_epoch     BIGINT NOT NULL,
    purged_at       BIGINT NOT NULL
);

INSERT INTO ${prefix}meta (id, format, floor_epoch, purged_at) VALUES (1, 1, 0, 0) ON CONFLICT (id) DO NOTHING;
