-- What became of each change of a device, and what waits.

CREATE OR REPLACE VIEW push.device_status AS
SELECT c.id,
       h.name AS hub,
       c.device,
       c.action,
       CASE
           WHEN r.status <> 'retrying' THEN r.status::text
           WHEN k.worker IS NOT NULL THEN 'applying'
           WHEN r.status = 'retrying' THEN 'retrying'
           ELSE 'waiting'
       END AS status,
       c.at,
       coalesce(r.at, c.at) AS since,
       d.due_at AS next_try,
       r.http,
       r.tracking_id,
       r.error,
       r.note,
       w.name AS worker,
       c.changed_by
  FROM push.installation_change c
       JOIN push.hub h ON h.id = c.hub
       LEFT JOIN LATERAL (
           SELECT r.status, r.at, r.http, r.tracking_id, r.error, r.note
             FROM push.installation_result r
            WHERE r.id = c.id
            ORDER BY r.status = 'retrying', r.at DESC
            LIMIT 1) r ON true
       LEFT JOIN LATERAL (
           SELECT d.due_at
             FROM push.installation_due d
            WHERE d.hub = c.hub
              AND d.device = c.device
              AND d.id = c.id
           OFFSET 0) d ON r.status IS NULL OR r.status = 'retrying'
       LEFT JOIN push.installation_claim k ON k.hub = c.hub AND k.device = c.device AND d.due_at IS NOT NULL
       LEFT JOIN push.worker w ON w.id = k.worker AND w.epoch = k.epoch;
COMMENT ON VIEW push.device_status IS
    'What became of each change of a device. Ask with WHERE hub = ... AND device = ...: the newest id is what counts.';
COMMENT ON COLUMN push.device_status.id IS 'What the call returned: push.installation_change.id.';
COMMENT ON COLUMN push.device_status.hub IS 'Name of the hub.';
COMMENT ON COLUMN push.device_status.device IS 'The installation id at the hub.';
COMMENT ON COLUMN push.device_status.action IS 'put, patch or drop.';
COMMENT ON COLUMN push.device_status.status IS
    'waiting; applying: a worker has the device; retrying: waits for another try; applied, superseded and refused are '
    'final.';
COMMENT ON COLUMN push.device_status.at IS 'When the call was made.';
COMMENT ON COLUMN push.device_status.since IS 'Time of the newest result; before the first one, of the call.';
COMMENT ON COLUMN push.device_status.next_try IS
    'When it is tried; past: as soon as a worker comes to it. Null: it is final.';
COMMENT ON COLUMN push.device_status.http IS 'HTTP status of the newest answer; null: no answer yet, or none came.';
COMMENT ON COLUMN push.device_status.tracking_id IS
    'The hub''s id of that request, which its support asks for; null: no answer, or none in it.';
COMMENT ON COLUMN push.device_status.error IS 'What the hub or the network said; null: no error.';
COMMENT ON COLUMN push.device_status.note IS 'What happened and what to do; null: nothing to say.';
COMMENT ON COLUMN push.device_status.worker IS 'host/pid of the worker that has the device now; null: none.';
COMMENT ON COLUMN push.device_status.changed_by IS 'The role that made the call.';

CREATE OR REPLACE VIEW push.device_backlog AS
SELECT h.name AS hub,
       CASE
           WHEN s.paused_by IS NOT NULL THEN 'paused'
           WHEN s.devices_until > now() THEN 'closed'
           ELSE 'open'
       END AS state,
       CASE
           WHEN s.paused_by IS NOT NULL THEN concat_ws(': ', 'paused by ' || s.paused_by, s.paused_why)
           WHEN s.devices_until > now() THEN s.devices_why
       END AS why,
       CASE WHEN s.devices_until > now() THEN s.devices_until END AS until,
       d.due,
       d.later,
       now() - d.oldest AS waiting,
       r.refused
  FROM push.hub h
       LEFT JOIN push.hub_state s ON s.hub = h.id
       LEFT JOIN LATERAL (                      -- a query without these columns does not pay for the counts
           SELECT count(*) FILTER (WHERE d.due_at <= now()) AS due,
                  count(*) FILTER (WHERE d.due_at > now()) AS later,
                  min(d.due_at) FILTER (WHERE d.due_at <= now()) AS oldest
             FROM push.installation_due d
            WHERE d.hub = h.id) d ON true
       LEFT JOIN LATERAL (
           SELECT count(*) AS refused
             FROM push.installation_result r
                  JOIN push.installation_change c ON c.id = r.id
            WHERE r.status = 'refused'
              AND r.at > now() - interval '1 day'
              AND c.hub = h.id) r ON true
 WHERE h.removed_at IS NULL;
COMMENT ON VIEW push.device_backlog IS 'What waits of the changes of devices at each hub, and how many were refused.';
COMMENT ON COLUMN push.device_backlog.hub IS 'Name of the hub.';
COMMENT ON COLUMN push.device_backlog.state IS
    'open; closed: the hub asked to wait or took none; paused: by a person.';
COMMENT ON COLUMN push.device_backlog.why IS 'Why it is not open; null: it is.';
COMMENT ON COLUMN push.device_backlog.until IS
    'When changes are applied again; push.resume_hub does it now. Null: open.';
COMMENT ON COLUMN push.device_backlog.due IS 'Changes that a worker may apply now.';
COMMENT ON COLUMN push.device_backlog.later IS 'Changes that wait for another try.';
COMMENT ON COLUMN push.device_backlog.waiting IS 'How long the oldest of them has waited; null: none is due.';
COMMENT ON COLUMN push.device_backlog.refused IS 'Changes that were refused in the last 24 hours.';

CREATE OR REPLACE VIEW push.lost_changes AS
SELECT c.id, h.name AS hub, c.device
  FROM push.installation_change c
       JOIN push.hub h ON h.id = c.hub
 WHERE NOT EXISTS (
           SELECT FROM push.installation_due d WHERE d.hub = c.hub AND d.device = c.device AND d.id = c.id)
   AND NOT EXISTS (
           SELECT FROM push.installation_result r WHERE r.id = c.id AND r.status <> 'retrying');
COMMENT ON VIEW push.lost_changes IS
    'Changes of devices that neither wait nor have a final result. Must be empty. Reads everything.';
COMMENT ON COLUMN push.lost_changes.id IS 'The change: push.installation_change.id.';
COMMENT ON COLUMN push.lost_changes.hub IS 'Name of the hub.';
COMMENT ON COLUMN push.lost_changes.device IS 'The device.';

CREATE OR REPLACE VIEW push.device_templates AS
SELECT h.name AS hub,
       t.platform,
       t.name,
       t.hash,
       t.body,
       t.headers,
       t.expiry,
       t.devices,
       t.of,
       t.seen_at
  FROM push.device_template t
       JOIN push.hub h ON h.id = t.hub;
COMMENT ON VIEW push.device_templates IS
    'The different templates that devices of each hub have, as far as they are known: what a push looks like on phones.';
COMMENT ON COLUMN push.device_templates.hub IS 'Name of the hub.';
COMMENT ON COLUMN push.device_templates.platform IS 'The platform of its devices, such as apns or fcmV1.';
COMMENT ON COLUMN push.device_templates.name IS 'Its name on the device, which is a tag there, too.';
COMMENT ON COLUMN push.device_templates.hash IS 'Names it: two templates with one hash are the same.';
COMMENT ON COLUMN push.device_templates.body IS 'What a push looks like there, with expressions such as $(message).';
COMMENT ON COLUMN push.device_templates.headers IS 'An object of texts; null: none.';
COMMENT ON COLUMN push.device_templates.expiry IS
    'When the platform gives up: a time, a number or an expression; null: not said.';
COMMENT ON COLUMN push.device_templates.devices IS 'Devices that had it, of those that were looked at.';
COMMENT ON COLUMN push.device_templates.of IS
    'How many devices were looked at; 0: it was learned by itself, and none was.';
COMMENT ON COLUMN push.device_templates.seen_at IS 'When a device with it changed last, or when it was learned.';

CREATE OR REPLACE VIEW push.reaches AS
SELECT h.name AS hub,
       r.expression,
       r.devices,
       r.of,
       r.is_whole,
       r.counted_at,
       r.by
  FROM push.reach r
       JOIN push.hub h ON h.id = r.hub;
COMMENT ON VIEW push.reaches IS
    'How many devices tag expressions meant when somebody counted them at the hub (fanfare tag reach).';
COMMENT ON COLUMN push.reaches.hub IS 'Name of the hub.';
COMMENT ON COLUMN push.reaches.expression IS 'The tag or tag expression, with every parenthesis and single blanks.';
COMMENT ON COLUMN push.reaches.devices IS 'Devices that it means, each counted once, of those that were looked at.';
COMMENT ON COLUMN push.reaches.of IS 'Devices that were looked at. Of a single tag the hub lists only those that have it.';
COMMENT ON COLUMN push.reaches.is_whole IS 'Whether all were looked at; false: the count stopped at a limit, and there are more.';
COMMENT ON COLUMN push.reaches.counted_at IS 'When it was counted.';
COMMENT ON COLUMN push.reaches.by IS 'Who counted it.';

CREATE OR REPLACE FUNCTION push.find_changes(
    hub     text DEFAULT NULL,
    device  text DEFAULT NULL,
    status  text DEFAULT NULL,
    since   timestamptz DEFAULT NULL,
    before  bigint DEFAULT NULL,
    at_most int DEFAULT 50)
RETURNS SETOF push.device_status
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
#variable_conflict use_column
DECLARE
    statuses constant text[] := '{waiting,applying,retrying,applied,superseded,refused}';
    number constant int := CASE WHEN hub IS NOT NULL THEN push_internal.hub_number(hub, or_removed => true) END;
    -- A clock that is set back makes the time of a change a little older than that of the one before.
    first constant bigint := CASE
        WHEN since IS NULL THEN 0 ELSE push_internal.last_change_before(since - interval '1 hour') END;
    -- The settings above leave each of these only the index it is meant for.
    searched constant text := CASE
        WHEN device IS NOT NULL THEN
            'SELECT c.id FROM push.hub h, LATERAL ('
            '    SELECT c.id FROM push.installation_change c WHERE c.hub = h.id AND c.device = $4 OFFSET 0) c '
            ' WHERE h.id = coalesce($3, h.id) AND c.id BETWEEN $1 AND $2'
        WHEN status IN ('waiting', 'applying', 'retrying') THEN
            'SELECT d.id FROM push.installation_due d WHERE d.hub = coalesce($3, d.hub) AND d.id BETWEEN $1 AND $2'
        WHEN status = 'refused' THEN
            'SELECT r.id FROM push.installation_result r '
            ' WHERE r.status = ''refused'' AND r.at >= $5 AND r.id BETWEEN $1 AND $2'
        ELSE
            -- No condition on hub that the index of devices could serve: it would be read whole and sorted.
            'SELECT c.id FROM push.installation_change c '
            ' WHERE c.id BETWEEN $1 AND $2 AND coalesce(c.hub = $3, true)'
            || CASE WHEN status IS NOT NULL THEN
                   ' AND EXISTS (SELECT FROM push.installation_result r '
                   '              WHERE r.id = c.id AND r.status::text = $6 OFFSET 0)'
               ELSE '' END
    END;
    candidate bigint;
    given int := 0;
    s push.device_status;
BEGIN
    IF status <> ALL (statuses) THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('push.find_changes: there is no status %s', push_internal.quoted(status, 60)),
            HINT = format('A status is one of %s.', array_to_string(statuses, ', '));
    END IF;
    FOR candidate IN
        EXECUTE searched || ' ORDER BY id DESC'
          USING first + 1, coalesce(before - 1, 9223372036854775807), number, device,
                coalesce(since, '-infinity') - interval '1 hour', status
    LOOP
        EXIT WHEN given >= at_most;
        SELECT d.* INTO s FROM push.device_status d WHERE d.id = candidate;
        CONTINUE WHEN NOT FOUND
                   OR s.hub <> hub
                   OR s.status <> find_changes.status
                   OR s.at < since;
        given := given + 1;
        RETURN NEXT s;
    END LOOP;
END $$;
COMMENT ON FUNCTION push.find_changes IS
    'Changes of devices from the newest on, as in push.device_status: by hub, device, status, time of the call '
    '(since), and number (before). Without since it looks at everything that is kept.';
