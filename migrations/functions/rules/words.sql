-- Words: which class a reason has, how a time is written, and who a row reaches.

CREATE OR REPLACE FUNCTION push.reason_class(reason push.reason) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
    WHEN reason IN ('bad_request', 'too_large', 'not_sendable', 'no_fallback', 'late_translation') THEN 'content'
    WHEN reason IN ('target_gone', 'target_invalid') THEN 'target'
    WHEN reason IN ('attempts_exhausted', 'throttled', 'target_throttled', 'unavailable') THEN 'provider'
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

CREATE OR REPLACE FUNCTION push_internal.quoted(value text, most int) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN to_json(CASE WHEN length(value) > most THEN left(value, most) || '...' ELSE value END)::text;
COMMENT ON FUNCTION push_internal.quoted IS
    'A value for an error, in quotation marks: its first characters and ... where it is longer. Null: null.';

CREATE OR REPLACE FUNCTION push.iso(at timestamptz) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
COMMENT ON FUNCTION push.iso IS 'A time as ISO 8601 in UTC, with milliseconds.';

CREATE OR REPLACE FUNCTION push.gone_since(note text) RETURNS timestamptz
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN substring(note COLLATE "C" FROM '^gone since ([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z)')::timestamptz;
COMMENT ON FUNCTION push.gone_since IS
    'Since when a target is gone, from the note of its result: "gone since 2026-11-28T12:00:00Z: ..."; null: the service did not say.';

CREATE OR REPLACE FUNCTION push.target_of(tag text, handles text[], broadcast boolean, recipient text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
    WHEN broadcast THEN '(everyone)'
    WHEN cardinality(handles) = 1 THEN '1 handle'
    WHEN handles IS NOT NULL THEN cardinality(handles)::text || ' handles'
    WHEN tag IS NULL AND recipient IS NOT NULL THEN '(no tag)'
    ELSE coalesce(tag, '(erased)')
END;
COMMENT ON FUNCTION push.target_of IS
    'Who gets a message, in words: the tag or expression, how many handles, or (everyone); (no tag): a recipient of a '
    'campaign whose row names none; (erased): push.erase removed it.';
