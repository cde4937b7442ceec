-- Fanfare, migration 1: The schema itself, which migrations it has, and the words of statuses, reasons and verdicts.

SELECT pg_advisory_xact_lock(7310868735422034533);      -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

CREATE SCHEMA push;
COMMENT ON SCHEMA push IS 'Fanfare: rows in push.message become push notifications.';

CREATE TABLE push.migration (
    version     int PRIMARY KEY,
    name        text NOT NULL,
    sha256      text,
    applied_at  timestamptz NOT NULL DEFAULT now(),
    applied_by  text NOT NULL DEFAULT session_user,
    app_version text
);
COMMENT ON TABLE push.migration IS
    'Which migrations this schema has. Each file inserts its own row, however it is run.';
COMMENT ON COLUMN push.migration.version IS 'Number of the migration: its file in migrations/ begins with it.';
COMMENT ON COLUMN push.migration.name IS 'Name of the migration: schema for 0001_schema.sql.';
COMMENT ON COLUMN push.migration.sha256 IS 'Checksum of the file; null: psql ran it instead of fanfare migrate.';
COMMENT ON COLUMN push.migration.applied_at IS 'When the migration was run.';
COMMENT ON COLUMN push.migration.applied_by IS 'The role that was logged in.';
COMMENT ON COLUMN push.migration.app_version IS 'Version of fanfare that ran it; null: psql ran it.';

CREATE TYPE push.status AS ENUM ('scheduled', 'due', 'claimed', 'posting', 'retrying',
    'accepted', 'rejected', 'expired', 'cancelled', 'duplicate', 'in_doubt');
COMMENT ON TYPE push.status IS
    'State of a message. Final: accepted, rejected, expired, cancelled, duplicate, in_doubt. accepted means that the '
    'hub took it, not that a phone showed it.';

CREATE TYPE push.reason AS ENUM (
    'taken_by_hub',                                                                 -- accepted
    'bad_request', 'too_large', 'not_sendable', 'no_fallback', 'late_translation',  -- rejected: content
    'target_gone', 'target_invalid',                                                -- rejected: target
    'attempts_exhausted',                                                           -- rejected: provider
    'expired', 'cancelled_by_caller', 'duplicate_key',                              -- policy
    'answer_lost', 'worker_lost',                                                   -- in doubt: network
    'throttled', 'unavailable', 'not_sent', 'auth_refused', 'hub_closed', 'released', 'resent',   -- retrying
    'resolved');                                                                    -- a person decided
COMMENT ON TYPE push.reason IS 'Why a message has its status. push.reason_class(reason) names who must act.';

CREATE FUNCTION push.reason_class(push.reason) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN $1 IN ('bad_request', 'too_large', 'not_sendable', 'no_fallback', 'late_translation') THEN 'content'
        WHEN $1 IN ('target_gone', 'target_invalid') THEN 'target'
        WHEN $1 IN ('attempts_exhausted', 'throttled', 'unavailable') THEN 'provider'
        WHEN $1 IN ('auth_refused', 'hub_closed') THEN 'credentials'
        WHEN $1 IN ('answer_lost', 'worker_lost', 'not_sent') THEN 'network'
        WHEN $1 = 'taken_by_hub' THEN 'none'
        WHEN $1 IS NOT NULL THEN 'policy'
    END
$$;
COMMENT ON FUNCTION push.reason_class IS
    'Who must act on a reason: content, target, credentials, provider, network or policy; none for accepted.';

CREATE TYPE push.verdict AS ENUM ('accepted', 'target_gone', 'target_invalid', 'too_large', 'rejected', 'throttled',
    'unavailable', 'auth_expired', 'auth_failed', 'not_sent', 'unknown');
COMMENT ON TYPE push.verdict IS 'What the answer to one post means; the same words for every provider.';

CREATE FUNCTION push.iso(at timestamptz) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;
COMMENT ON FUNCTION push.iso IS 'A time as ISO 8601 in UTC, with milliseconds.';

INSERT INTO push.migration (version, name) VALUES (1, 'schema');
