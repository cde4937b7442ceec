-- Fanfare, migration 1: The schema itself, which migrations it has, and the words of statuses, reasons and verdicts.

CREATE SCHEMA push;               -- of two that migrate an empty database, one waits here and then fails
COMMENT ON SCHEMA push IS 'Fanfare: rows in push.message become push notifications.';

CREATE TABLE push.migration (
    version     int PRIMARY KEY,
    name        text NOT NULL,
    works_from  int NOT NULL,
    sha256      text,
    applied_at  timestamptz NOT NULL DEFAULT now(),
    applied_by  text NOT NULL DEFAULT session_user,
    app_version text
);
COMMENT ON TABLE push.migration IS
    'Which migrations this schema has. Each file inserts its own row, however it is run.';
COMMENT ON COLUMN push.migration.version IS 'Number of the migration: its file in migrations/ begins with it.';
COMMENT ON COLUMN push.migration.name IS 'Name of the migration: schema for 0001_schema.sql.';
COMMENT ON COLUMN push.migration.works_from IS
    'The lowest schema version that a build must know to go on with this schema; the highest of all rows counts. A '
    'migration that older builds can live with repeats its predecessor''s.';
COMMENT ON COLUMN push.migration.sha256 IS 'Checksum of the file; null: psql ran it instead of fanfare migrate.';
COMMENT ON COLUMN push.migration.applied_at IS 'When the migration was run.';
COMMENT ON COLUMN push.migration.applied_by IS 'The role that was logged in.';
COMMENT ON COLUMN push.migration.app_version IS 'Version of fanfare that ran it; null: psql ran it.';

CREATE FUNCTION push.schema()
RETURNS TABLE (
    version     int,
    name        text,
    works_from  int,
    sha256      text,
    applied_at  timestamptz,
    applied_by  text,
    app_version text)
LANGUAGE sql STABLE PARALLEL SAFE SECURITY DEFINER
BEGIN ATOMIC
    SELECT m.version, m.name, m.works_from, m.sha256, m.applied_at, m.applied_by, m.app_version
      FROM push.migration m
     ORDER BY m.version;
END;
COMMENT ON FUNCTION push.schema IS
    'The migrations of this schema (push.migration), for every role.';

-- Locks that only the owner can take. Advisory locks belong to everybody: any login could hold one and stop us.
CREATE TABLE push.lock (
    name text PRIMARY KEY
);
COMMENT ON TABLE push.lock IS
    'One row per task that only one session may do at a time; the session that does it holds the row''s lock.';
COMMENT ON COLUMN push.lock.name IS 'The task, such as partitions.';
INSERT INTO push.lock (name) VALUES ('partitions'), ('keys'), ('purge');

CREATE FUNCTION push.take_lock(name text) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM FROM push.lock l WHERE l.name = take_lock.name FOR UPDATE SKIP LOCKED;
    IF FOUND THEN
        RETURN true;
    END IF;
    RAISE NOTICE 'another session does "%" at the moment; nothing was done', name;
    RETURN false;
END $$;
COMMENT ON FUNCTION push.take_lock IS
    'Takes a lock of push.lock until the end of the transaction. False, with a notice: another session has it. Only '
    'for other functions.';

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
    'throttled', 'unavailable', 'not_sent', 'auth_refused', 'hub_closed',           -- retrying
    'hub_not_found', 'quota_exceeded', 'released', 'resent', 'paused', 'resumed',   -- retrying
    'resolved');                                                                    -- a person decided
COMMENT ON TYPE push.reason IS 'Why a message has its status. push.reason_class(reason) names who must act.';

CREATE FUNCTION push.reason_class(reason push.reason) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
    WHEN reason IN ('bad_request', 'too_large', 'not_sendable', 'no_fallback', 'late_translation') THEN 'content'
    WHEN reason IN ('target_gone', 'target_invalid') THEN 'target'
    WHEN reason IN ('attempts_exhausted', 'throttled', 'unavailable') THEN 'provider'
    WHEN reason = 'auth_refused' THEN 'credentials'
    WHEN reason = 'hub_not_found' THEN 'configuration'
    WHEN reason = 'quota_exceeded' THEN 'quota'
    WHEN reason IN ('answer_lost', 'worker_lost', 'not_sent') THEN 'network'
    WHEN reason = 'taken_by_hub' THEN 'none'
    WHEN reason IS NOT NULL THEN 'policy'
END;
COMMENT ON FUNCTION push.reason_class IS
    'Who must act on a reason: content, target, credentials, configuration, quota, provider, network or policy; none '
    'for accepted.';

CREATE TYPE push.verdict AS ENUM ('accepted', 'target_gone', 'target_invalid', 'too_large', 'rejected', 'throttled',
    'unavailable', 'auth_expired', 'auth_failed', 'hub_not_found', 'quota_exceeded', 'not_sent', 'unknown');
COMMENT ON TYPE push.verdict IS 'What the answer to one post means; the same words for every provider.';

-- Ids of posts: the claim in front, the number within the claim behind. So the primary key of push.post also finds the
-- posts of a claim, and a result's post tells its claim. Number 0 is no post: the message left its claim without one.
CREATE FUNCTION push.post_id(claim bigint, n int) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN claim * 10000 + n;
COMMENT ON FUNCTION push.post_id IS 'Id of post n (1 to 9,999) of a claim.';

CREATE FUNCTION push.claim_of(post bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN post / 10000;
COMMENT ON FUNCTION push.claim_of IS 'The claim that a post belongs to.';

CREATE FUNCTION push.no_post(claim bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN claim * 10000;
COMMENT ON FUNCTION push.no_post IS 'What push.result.post says of a message that left this claim without a post.';

CREATE FUNCTION push.is_no_post(post bigint) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN post % 10000 = 0;
COMMENT ON FUNCTION push.is_no_post IS
    'Whether the message left its claim without a post (push.no_post). Null: decided outside a claim.';

CREATE FUNCTION push.first_post(claim bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN claim * 10000 + 1;
COMMENT ON FUNCTION push.first_post IS 'The lowest id that a post of this claim can have.';

CREATE FUNCTION push.last_post(claim bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN claim * 10000 + 9999;
COMMENT ON FUNCTION push.last_post IS 'The highest id that a post of this claim can have.';

CREATE FUNCTION push.iso(at timestamptz) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
COMMENT ON FUNCTION push.iso IS 'A time as ISO 8601 in UTC, with milliseconds.';

INSERT INTO push.migration (version, name, works_from) VALUES (1, 'schema', 61);
