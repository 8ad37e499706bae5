-- Holdfast, strategy "lease", format 1. Times are microseconds since 2025-01-01 by the database's clock.

-- One row per name. Uncontended, everything about a lock is in this row.
CREATE TABLE IF NOT EXISTS ${prefix}lock (
    name            VARCHAR(255) COLLATE "C" NOT NULL PRIMARY KEY,
    kind            SMALLINT NOT NULL,
    capacity        INTEGER NOT NULL,
    owner           CHAR(32),
    epoch           BIGINT NOT NULL,
    expires         BIGINT NOT NULL,
    lease           BIGINT NOT NULL,
    since           BIGINT NOT NULL,
    client          CHAR(32),
    client_name     VARCHAR(200),
    label           VARCHAR(200),
    crowded         SMALLINT NOT NULL,
    evicted_low     BIGINT,
    evicted_high    BIGINT,
    evicted_at      BIGINT,
    evicted_by      VARCHAR(200),
    evicted_reason  VARCHAR(1000)
) WITH (fillfactor = 50);

-- Those who wait, those who share, and withdrawn claims whose requests may still arrive; "crowded" tells of them.
CREATE TABLE IF NOT EXISTS ${prefix}claim (
    name            VARCHAR(255) COLLATE "C" NOT NULL,
    owner           CHAR(32) NOT NULL,
    state           CHAR(1) NOT NULL,
    arrival         BIGINT NOT NULL,
    units           INTEGER NOT NULL,
    parts           INTEGER NOT NULL,
    epoch           BIGINT NOT NULL,
    expires         BIGINT NOT NULL,
    lease           BIGINT NOT NULL,
    since           BIGINT NOT NULL,
    client          CHAR(32) NOT NULL,
    client_name     VARCHAR(200) NOT NULL,
    label           VARCHAR(200) NOT NULL,
    PRIMARY KEY (name, owner)
);

-- One row: the format, and an epoch below which no name that has no row can have been granted.
CREATE TABLE IF NOT EXISTS ${prefix}meta (
    id              INTEGER NOT NULL PRIMARY KEY,
    format          INTEGER NOT NULL,
    floor_epoch     BIGINT NOT NULL,
    purged_at       BIGINT NOT NULL
);

INSERT INTO ${prefix}meta (id, format, floor_epoch, purged_at) VALUES (1, 1, 0, 0) ON CONFLICT (id) DO NOTHING;
