-- SPDX-License-Identifier: MIT
--
-- postgresql.sql: the schema of lines (pqt/line.h), for PostgreSQL 12 or later.
--
--     psql --set ON_ERROR_STOP=1 --single-transaction -f postgresql.sql DATABASE
--
-- Run it once in each database, as a role that may create roles and schemas. It creates two roles
-- that cannot log in. Grant pqt_reader to each role that follows lines, and pqt_writer to each role
-- that pushes versions:
--
--     GRANT pqt_reader TO alice;
--     GRANT pqt_writer TO bob;
--
-- A writer can add versions at the end of a line, and create lines. Neither role can change or
-- delete a version: only the owner of the schema can do so.

SELECT 'CREATE ROLE pqt_reader NOLOGIN'
    WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'pqt_reader')
\gexec
SELECT 'CREATE ROLE pqt_writer NOLOGIN'
    WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'pqt_writer')
\gexec
GRANT pqt_reader TO pqt_writer;

CREATE SCHEMA pqt;
REVOKE ALL ON SCHEMA pqt FROM PUBLIC;

-- The version number of this schema. A library refuses a number larger than the one it knows.
CREATE FUNCTION pqt.schema_version() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT 1';

-- The lines. `kind` is a value of pqt_kind.
CREATE TABLE pqt.line (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE CHECK (octet_length(name) BETWEEN 1 AND 100),
    kind smallint NOT NULL CHECK (kind BETWEEN 1 AND 6),
    made_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    role text NOT NULL DEFAULT session_user
);

-- The versions. docs/format.md specifies the bytes of `change`, `whole` and `hash`.
CREATE TABLE pqt.version (
    line bigint NOT NULL REFERENCES pqt.line ON DELETE CASCADE,
    number bigint NOT NULL CHECK (number > 0),
    parent_hash bytea NOT NULL CHECK (octet_length(parent_hash) = 32),
    hash bytea NOT NULL CHECK (octet_length(hash) = 32),
    fingerprint bytea NOT NULL CHECK (octet_length(fingerprint) = 16),
    label text NOT NULL CHECK (octet_length(label) <= 100),
    author text NOT NULL CHECK (octet_length(author) <= 100),
    encoding smallint NOT NULL CHECK (encoding BETWEEN 0 AND 2),
    change bytea,              -- the changes from the previous version; NULL if encoding is 0
    whole_hash bytea CHECK (octet_length(whole_hash) = 32),
    whole bytea,               -- the whole version; NULL unless it is a keyframe
    pushed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    role text NOT NULL DEFAULT session_user,
    PRIMARY KEY (line, number),
    CHECK ((encoding = 0) = (change IS NULL)),
    CHECK ((whole_hash IS NULL) = (whole IS NULL)),
    CHECK (change IS NOT NULL OR whole IS NOT NULL)
);

CREATE INDEX keyframe ON pqt.version (line, number) WHERE whole_hash IS NOT NULL;

-- Checks that a version is the first one, or that its parent_hash is the hash of the version before
-- it. The primary key ensures that only one of several pushes with the same number succeeds.
-- Sessions that LISTEN are notified when the transaction commits.
CREATE FUNCTION pqt.follow_version() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NEW.number = 1 THEN
        IF NEW.parent_hash <> decode(repeat('00', 32), 'hex') THEN
            RAISE EXCEPTION 'version 1 has a parent' USING ERRCODE = 'PQ001';
        END IF;
    ELSIF NOT EXISTS (SELECT FROM pqt.version AS v
                      WHERE v.line = NEW.line AND v.number = NEW.number - 1
                        AND v.hash = NEW.parent_hash) THEN
        RAISE EXCEPTION 'version % does not follow version %', NEW.number, NEW.number - 1
            USING ERRCODE = 'PQ001';
    END IF;
    PERFORM pg_notify('pqt_' || NEW.line, '');
    RETURN NEW;
END
$$;

CREATE TRIGGER follow_version BEFORE INSERT ON pqt.version
    FOR EACH ROW EXECUTE FUNCTION pqt.follow_version();

GRANT USAGE ON SCHEMA pqt TO pqt_reader;
GRANT SELECT ON pqt.line, pqt.version TO pqt_reader;
GRANT INSERT (name, kind) ON pqt.line TO pqt_writer;
GRANT INSERT (line, number, parent_hash, hash, fingerprint, label, author, encoding, change,
              whole_hash, whole)
    ON pqt.version TO pqt_writer;
