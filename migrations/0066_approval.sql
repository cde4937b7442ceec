-- Fanfare, migration 66: Who has read a revision of a campaign before it is sent; and tests of what nobody approved yet.

LOCK TABLE push.migration IN EXCLUSIVE MODE;            -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

CREATE TABLE push.approval (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    campaign int NOT NULL,
    revision int NOT NULL,
    hash     text NOT NULL,
    verdict  text NOT NULL CONSTRAINT verdict_is_approved_or_rejected CHECK (verdict IN ('approved', 'rejected')),
    by       text NOT NULL DEFAULT push.caller(),
    at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    note     text,
    login    text NOT NULL DEFAULT session_user,
    settings jsonb NOT NULL,
    FOREIGN KEY (campaign, revision) REFERENCES push.campaign_revision
);
CREATE INDEX approval_of_revision ON push.approval (campaign, revision, id);
COMMENT ON TABLE push.approval IS
    'What people said of revisions of campaigns. Of a revision the newest verdict counts. Append-only.';
COMMENT ON COLUMN push.approval.id IS 'Number of the verdict.';
COMMENT ON COLUMN push.approval.campaign IS 'The campaign: push.campaign.id.';
COMMENT ON COLUMN push.approval.revision IS 'The revision: push.campaign_revision.revision.';
COMMENT ON COLUMN push.approval.hash IS
    'What was read: push.approvals.hash of that moment. An approval counts while the hash is still the same.';
COMMENT ON COLUMN push.approval.verdict IS 'approved or rejected.';
COMMENT ON COLUMN push.approval.by IS 'Who said it.';
COMMENT ON COLUMN push.approval.at IS 'When.';
COMMENT ON COLUMN push.approval.note IS 'Why, for the others; null: not said.';
COMMENT ON COLUMN push.approval.login IS 'The login of that session: by may be a role that several logins share.';
COMMENT ON COLUMN push.approval.settings IS
    'The settings of its hubs that are part of the hash: those that change what is sent.';
COMMENT ON INDEX push.approval_of_revision IS 'What was said of a revision, the newest last.';

CREATE FUNCTION push.verdict_stays() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION USING
        ERRCODE = 'feature_not_supported', MESSAGE = format('%s of push.approval is refused', TG_OP),
        HINT = 'Of a revision the newest verdict counts: push.approve, push.reject.';
END $$;
COMMENT ON FUNCTION push.verdict_stays IS 'Trigger: refuses UPDATE, DELETE and TRUNCATE.';
CREATE TRIGGER verdict_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON push.approval
    FOR EACH STATEMENT EXECUTE FUNCTION push.verdict_stays();
COMMENT ON TRIGGER verdict_stays ON push.approval IS 'Refuses UPDATE, DELETE and TRUNCATE with a hint.';

CREATE FUNCTION push.wrong_approval(approval json) RETURNS push.problem
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
    WHEN json_typeof(approval) <> 'string' OR approval #>> '{}' NOT IN ('none', 'one', 'two')
    THEN push.spec_problem('approval', format('is %s, not "none", "one" or "two"', left(approval::text, 60)),
                           'one: somebody has to approve it. two: somebody other than the person who made it.')
END;
COMMENT ON FUNCTION push.wrong_approval IS
    'What is wrong with the approval that a spec asks for; null: nothing. Only for push.wrong_members.';

CREATE FUNCTION push.settings_of_spec(spec json) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(
               jsonb_object_agg(h.name, jsonb_build_object(
                   'localization', h.localization,
                   'languages', coalesce(h.settings -> 'languages', to_json(h.languages)),
                   'fallback', h.fallback,
                   'plainFallback', coalesce((h.settings ->> 'plainFallback')::boolean, true),
                   'propertyPattern', coalesce(h.settings ->> 'propertyPattern', '{property}_{language}'))),
               '{}')
      FROM push.hub h
     WHERE h.name IN (
               SELECT e.value #>> '{}'
                 FROM json_array_elements(CASE json_typeof(spec -> 'hubs') WHEN 'array' THEN spec -> 'hubs' ELSE '[]' END) e)
$$;
COMMENT ON FUNCTION push.settings_of_spec IS
    'The settings of a spec''s hubs that change what is sent, by hub. Only for other functions.';

CREATE FUNCTION push.hash_of_revision(campaign int, revision int) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off AS $$
    SELECT encode(sha256(convert_to(concat_ws(E'\n', r.spec::jsonb, push.settings_of_spec(r.spec)), 'UTF8')), 'hex')
      FROM push.campaign_revision r
     WHERE r.campaign = hash_of_revision.campaign AND r.revision = hash_of_revision.revision
$$;
COMMENT ON FUNCTION push.hash_of_revision IS
    'SHA-256 of what a revision would send: its spec, and the settings of its hubs that change it. Only for other '
    'functions.';

CREATE FUNCTION push.changed_settings(given jsonb, current jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT string_agg(format('%s of hub %s', k.key, h.name), ' and ' ORDER BY h.name, k.key)
      FROM jsonb_object_keys(given || current) h(name),
           LATERAL jsonb_object_keys(coalesce(given -> h.name, '{}') || coalesce(current -> h.name, '{}')) k(key)
     WHERE given -> h.name -> k.key IS DISTINCT FROM current -> h.name -> k.key
$$;
COMMENT ON FUNCTION push.changed_settings IS
    'Which settings of hubs differ, such as "fallback of hub news"; null: none. Only for other functions.';

CREATE FUNCTION push.stale_approval(approval bigint) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off AS $$
    SELECT coalesce(push.changed_settings(a.settings, push.settings_of_spec(r.spec)), 'its spec') || ' changed'
      FROM push.approval a
           JOIN push.campaign_revision r ON r.campaign = a.campaign AND r.revision = a.revision
     WHERE a.id = stale_approval.approval
       AND a.hash <> push.hash_of_revision(a.campaign, a.revision)
$$;
COMMENT ON FUNCTION push.stale_approval IS
    'What changed after this approval, so that it does not count any more; null: it counts. Only for other functions.';

CREATE FUNCTION push.standings_of(campaign int)
RETURNS TABLE (revision int, asks text, is_draft boolean, is_agreed boolean, approval bigint, base int, standing text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
    words constant text[] := '{none,one,two}';
    asked int := 1;
    agreed int;
    this record;
    given record;
BEGIN
    -- In their order, because a revision asks for the strictest of what all of them asked since the last that was agreed on:
    -- nobody takes the rule out of a campaign in an edit that the rule does not hold for.
    FOR this IN
        SELECT r.revision, r.by, r.login, r.is_draft, coalesce(array_position(words, r.approval), 1) AS own,
               v.verdict, v.by AS judge, v.note,
               coalesce((SELECT max(j.id) FROM push.approval j
                          WHERE j.campaign = r.campaign AND j.revision = r.revision AND j.verdict = 'rejected'), 0) AS rejected
          FROM push.campaign_revision r
               LEFT JOIN LATERAL (
                   SELECT a.*
                     FROM push.approval a
                    WHERE a.campaign = r.campaign AND a.revision = r.revision
                    ORDER BY a.id DESC
                    LIMIT 1) v ON true
         WHERE r.campaign = standings_of.campaign
         ORDER BY r.revision
    LOOP
        asked := greatest(asked, this.own);
        revision := this.revision;
        asks := words[asked];
        is_draft := this.is_draft;
        is_agreed := asked = 1;
        approval := NULL;
        standing := NULL;
        IF this.verdict = 'rejected' THEN
            is_agreed := false;
            standing := concat_ws(': ', 'rejected by ' || this.judge, nullif(this.note, ''));
        ELSIF this.verdict = 'approved' THEN
            SELECT a.id, a.by INTO given
              FROM push.approval a
             WHERE a.campaign = standings_of.campaign AND a.revision = this.revision AND a.id > this.rejected
               AND (asked < 3 OR a.by <> this."by" AND a.login <> this.login)
             ORDER BY a.id DESC
             LIMIT 1;
            IF FOUND THEN
                is_agreed := true;
                approval := given.id;
                standing := 'approved by ' || given."by";
            END IF;
        END IF;
        IF NOT is_agreed AND standing IS NULL THEN
            standing := 'not approved';
        END IF;
        IF is_agreed AND NOT is_draft THEN
            base := CASE WHEN approval IS NULL THEN agreed ELSE this.revision END;
            agreed := this.revision;
            asked := this.own;
        ELSE
            base := agreed;
        END IF;
        RETURN NEXT;
    END LOOP;
END $$;
COMMENT ON FUNCTION push.standings_of IS
    'What each revision of a campaign asks for and has: is_agreed: it needs no approval, or was given it, by approval, '
    'which may not count any more (push.stale_approval). base: the revision that a reader compares it with. Only for other '
    'functions.';

CREATE FUNCTION push.standing_of(campaign int, OUT to_run int, OUT unapproved text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
    known push.campaign;
    this record;
    newest text;
    stale text;
    outdated text;
BEGIN
    SELECT c.* INTO known FROM push.campaign c WHERE c.id = standing_of.campaign;
    IF NOT EXISTS (SELECT FROM push.campaign_revision r WHERE r.campaign = known.id AND r.approval <> 'none')
       AND NOT EXISTS (SELECT FROM push.approval a WHERE a.campaign = known.id)
    THEN
        to_run := known.revision;
        RETURN;
    END IF;
    FOR this IN SELECT s.* FROM push.standings_of(known.id) s ORDER BY s.revision DESC LOOP
        stale := CASE WHEN this.asks <> 'none' THEN push.stale_approval(this.approval) END;
        IF this.is_agreed AND NOT this.is_draft AND stale IS NULL THEN
            to_run := this.revision;
            EXIT;
        END IF;
        IF stale IS NOT NULL THEN
            outdated := coalesce(outdated, format('revision %s was %s, and then %s', this.revision, this.standing, stale));
        END IF;
        newest := coalesce(newest, CASE
            WHEN stale IS NOT NULL THEN outdated
            WHEN this.standing LIKE 'rejected %' THEN format('revision %s was %s', this.revision, this.standing)
            ELSE format('revision %s is %s', this.revision, coalesce(this.standing, 'a draft'))
        END);
    END LOOP;
    IF to_run IS DISTINCT FROM known.revision AND known.state = 'ready' THEN
        unapproved := CASE
            WHEN to_run IS NOT NULL THEN format('%s: revision %s is sent', newest, to_run)
            ELSE concat_ws(', and ', newest, nullif(outdated, newest)) || ': nothing is sent'
        END;
    END IF;
END $$;
COMMENT ON FUNCTION push.standing_of IS
    'The revision that a run of a campaign takes, and why it is not the newest (null: it is). Only for other functions.';

CREATE FUNCTION push.note_standing(campaign int) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
    UPDATE push.campaign c
       SET unapproved = s.unapproved
      FROM push.standing_of(note_standing.campaign) s
     WHERE c.id = note_standing.campaign AND c.unapproved IS DISTINCT FROM s.unapproved
$$;
COMMENT ON FUNCTION push.note_standing IS 'Keeps push.campaign.unapproved true. Only for other functions.';

CREATE FUNCTION push.refuse_unapproved(known push.campaign) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION USING
        ERRCODE = 'check_violation', SCHEMA = 'push', TABLE = 'campaign_revision', CONSTRAINT = 'revision_is_approved',
        MESSAGE = format('campaign %s: %s', known.name, coalesce(push.unapproved(known.id), 'no revision was approved')),
        HINT = format('Have it read and approved: fanfare campaign approve %s --revision %s', known.name, known.revision);
END $$;
COMMENT ON FUNCTION push.refuse_unapproved IS
    'Raises for a campaign of which no revision may be sent, also if one was approved since. Only for push.begin_run.';

CREATE FUNCTION push.require_newest(name text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    known constant push.campaign := push.campaign_of(name);
    why constant text := push.unapproved(known.id);
BEGIN
    IF why IS NOT NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = format('campaign %s: %s', name, why),
            HINT = 'Keep it with push.create_campaign, have it approved, and start it with push.start_run.';
    END IF;
END $$;
COMMENT ON FUNCTION push.require_newest IS
    'Raises where a run would not send the newest revision of a campaign. Only for push.run_campaign.';

CREATE FUNCTION push.revisions_of(campaign int)
RETURNS TABLE (revision int, by text, at timestamptz, asks text, standing text, is_sent boolean, base int, hash text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
    known push.campaign;
    to_run constant int := push.revision_to_run(campaign);
BEGIN
    SELECT c.* INTO known FROM push.campaign c WHERE c.id = revisions_of.campaign;
    RETURN QUERY
    SELECT r.revision, r.by, r.at, s.asks,
           concat_ws(', and then ', s.standing, push.stale_approval(s.approval)),
           coalesce(s.revision = to_run AND known.state = 'ready', false),
           s.base, push.hash_of_revision(r.campaign, r.revision)
      FROM push.standings_of(known.id) s
           JOIN push.campaign_revision r ON r.campaign = known.id AND r.revision = s.revision;
END $$;
COMMENT ON FUNCTION push.revisions_of IS 'What push.approvals shows of a campaign.';

CREATE VIEW push.approvals AS
SELECT c.name AS campaign,
       o.revision,
       o.by,
       o.at,
       o.asks,
       nullif(o.standing, '') AS standing,
       o.is_sent,
       o.base,
       o.hash
  FROM push.campaign c,
       LATERAL push.revisions_of(c.id) o;
COMMENT ON VIEW push.approvals IS
    'The revisions of each campaign: what approval each asks for, whether it has it, and which one a run takes.';
COMMENT ON COLUMN push.approvals.campaign IS 'Name of the campaign.';
COMMENT ON COLUMN push.approvals.revision IS 'Number of the revision.';
COMMENT ON COLUMN push.approvals.by IS 'Who made it.';
COMMENT ON COLUMN push.approvals.at IS 'When.';
COMMENT ON COLUMN push.approvals.asks IS
    'none; one: somebody has to approve it; two: somebody other than the person who made it. The strictest of its own '
    'spec and of those since the last that was agreed on.';
COMMENT ON COLUMN push.approvals.standing IS
    'Whether it was approved or rejected, and by whom, and what changed since; null: it asks for nothing.';
COMMENT ON COLUMN push.approvals.is_sent IS 'Whether a run that begins now takes it.';
COMMENT ON COLUMN push.approvals.base IS
    'The revision that push.changes_of_revision compares it with: the last that was agreed on; null: there was none.';
COMMENT ON COLUMN push.approvals.hash IS
    'SHA-256 of what it would send: its spec, and the localization, languages, fallback, plainFallback and propertyPattern '
    'of its hubs. push.approve wants it.';

CREATE FUNCTION push.revision_known(campaign push.campaign, revision int) RETURNS push.campaign_revision
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
    this push.campaign_revision;
BEGIN
    SELECT r.* INTO this
      FROM push.campaign_revision r
     WHERE r.campaign = revision_known.campaign.id AND r.revision = revision_known.revision;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING
            ERRCODE = 'no_data_found',
            MESSAGE = format('campaign %s has no revision %s', campaign.name, coalesce(revision::text, 'NULL')),
            HINT = format('Its newest is %s.', campaign.revision);
    END IF;
    RETURN this;
END $$;
COMMENT ON FUNCTION push.revision_known IS 'A revision of a campaign; raises if there is none. Only for other functions.';

CREATE FUNCTION push.leaves(document jsonb) RETURNS TABLE (path text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    WITH RECURSIVE node(path, value) AS (
        SELECT NULL::text, document
        UNION ALL
        SELECT concat_ws('.', n.path, CASE WHEN e.key ~ '^[A-Za-z0-9_-]+$' THEN e.key ELSE to_json(e.key)::text END), e.value
          FROM node n, jsonb_each(CASE jsonb_typeof(n.value) WHEN 'object' THEN n.value ELSE '{}' END) e
    )
    SELECT n.path, n.value::text
      FROM node n
     WHERE n.path IS NOT NULL AND (jsonb_typeof(n.value) <> 'object' OR n.value = '{}')
$$;
COMMENT ON FUNCTION push.leaves IS
    'The values of a JSON object that are no objects, with their paths. Only for other functions.';

CREATE FUNCTION push.changes_of_revision(campaign text, revision int)
RETURNS TABLE (path text, before text, after text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
    known constant push.campaign := push.campaign_of(changes_of_revision.campaign);
    this constant push.campaign_revision := push.revision_known(known, changes_of_revision.revision);
    base record;
BEGIN
    SELECT r.spec, coalesce(a.settings, push.settings_of_spec(r.spec)) AS settings INTO base
      FROM push.standings_of(known.id) s
           JOIN push.standings_of(known.id) b ON b.revision = s.base
           JOIN push.campaign_revision r ON r.campaign = known.id AND r.revision = b.revision
           LEFT JOIN push.approval a ON a.id = b.approval
     WHERE s.revision = this.revision;
    RETURN QUERY
    SELECT path, b.value, n.value
      FROM push.leaves(base.spec::jsonb || jsonb_build_object('settings', base.settings)) b
           FULL JOIN push.leaves(this.spec::jsonb || jsonb_build_object('settings', push.settings_of_spec(this.spec))) n
               USING (path)
     WHERE b.value IS DISTINCT FROM n.value
     ORDER BY path COLLATE "C";
END $$;
COMMENT ON FUNCTION push.changes_of_revision IS
    'What a revision says that push.approvals.base did not: paths in the spec, with the values before and after, null: not '
    'there. Below settings: those settings of its hubs that change what is sent, before as they were at that approval.';

CREATE FUNCTION push.judge(
    known push.campaign, this push.campaign_revision, verdict text, hash text, note text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    schedule constant jsonb := push.schedule_of(known.id);
BEGIN
    INSERT INTO push.approval (campaign, revision, hash, verdict, note, settings)
    VALUES (known.id, this.revision, judge.hash, judge.verdict, left(nullif(judge.note, ''), 2000),
            push.settings_of_spec(this.spec));
    PERFORM push.note_standing(known.id);
    IF schedule IS DISTINCT FROM push.schedule_of(known.id)::jsonb THEN
        PERFORM push.reschedule(known.id);
    END IF;
    INSERT INTO push.audit (action, detail)
    VALUES (CASE verdict WHEN 'approved' THEN 'approve' ELSE 'reject' END,
            json_strip_nulls(json_build_object('campaign', known.name, 'revision', this.revision, 'hash', judge.hash,
                                               'note', judge.note)));
END $$;
COMMENT ON FUNCTION push.judge IS 'Records a verdict. Only for push.approve and push.reject.';

CREATE FUNCTION push.approve(campaign text, revision int, hash text, note text DEFAULT NULL) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
    known push.campaign := push.campaign_of(campaign);
    this constant push.campaign_revision := push.revision_known(known, revision);
    current_hash text;
    standing record;
BEGIN
    PERFORM push.begin_action();
    SELECT c.* INTO known FROM push.campaign c WHERE c.id = known.id FOR NO KEY UPDATE;
    current_hash := push.hash_of_revision(known.id, this.revision);
    IF approve.hash IS DISTINCT FROM current_hash THEN
        RAISE EXCEPTION USING
            ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('revision %s of campaign %s does not have the hash %s', this.revision, campaign,
                             coalesce(left(approve.hash, 64), 'NULL')),
            HINT = format('Look again: its hash is %s now.', current_hash);
    END IF;
    SELECT s.* INTO standing FROM push.standings_of(known.id) s WHERE s.revision = this.revision;
    IF standing.approval IS NOT NULL AND push.stale_approval(standing.approval) IS NULL THEN
        RETURN false;
    ELSIF standing.asks = 'two' AND (push.caller() = this."by" OR session_user = this.login) THEN
        RAISE EXCEPTION USING
            ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('%s made revision %s of campaign %s', this."by", this.revision, campaign),
            HINT = 'It asks for the approval of somebody else, with another login.';
    END IF;
    PERFORM push.judge(known, this, 'approved', current_hash, note);
    RETURN true;
END $$;
COMMENT ON FUNCTION push.approve IS
    'Lets runs send a revision of a campaign. hash: push.approvals.hash of what was read; refuses another one. Where it asks '
    'for two, the person who made it may not approve it. False: it was approved already, and nothing changed.';

CREATE FUNCTION push.reject(campaign text, revision int, note text DEFAULT NULL) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
    known push.campaign := push.campaign_of(campaign);
    this constant push.campaign_revision := push.revision_known(known, revision);
BEGIN
    PERFORM push.begin_action();
    SELECT c.* INTO known FROM push.campaign c WHERE c.id = known.id FOR NO KEY UPDATE;
    IF 'rejected' = (SELECT a.verdict FROM push.approval a
                      WHERE a.campaign = known.id AND a.revision = this.revision ORDER BY a.id DESC LIMIT 1)
    THEN
        RETURN false;
    END IF;
    PERFORM push.judge(known, this, 'rejected', push.hash_of_revision(known.id, this.revision), note);
    RETURN true;
END $$;
COMMENT ON FUNCTION push.reject IS
    'Keeps runs from sending a revision of a campaign, also one that was approved or asks for no approval, until it is '
    'approved. A run that has begun goes on. False: it was rejected already, and nothing changed.';

CREATE FUNCTION push.hub_changed() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    -- Another revision may be the one that is sent now, with another schedule. A time that has come is left to its worker.
    UPDATE push.campaign c
       SET next_at = '-infinity', fires_at = clock_timestamp(), upcoming = '{}'
     WHERE c.next_at > clock_timestamp()
       AND EXISTS (SELECT FROM push.approval a WHERE a.campaign = c.id AND a.settings ? new.name);
    PERFORM push.note_standing(c.id)
       FROM push.campaign c
      WHERE EXISTS (SELECT FROM push.approval a WHERE a.campaign = c.id AND a.settings ? new.name);
    RETURN NULL;
END $$;
COMMENT ON FUNCTION push.hub_changed IS
    'Has workers work out the schedules of campaigns that were approved with this hub anew, and notes which approvals do not '
    'count any more.';
CREATE TRIGGER hub_changed AFTER UPDATE OF localization, languages, fallback, settings ON push.hub
    FOR EACH ROW
    WHEN ((old.localization, old.languages, old.fallback, old.settings::text)
          IS DISTINCT FROM (new.localization, new.languages, new.fallback, new.settings::text))
    EXECUTE FUNCTION push.hub_changed();
COMMENT ON TRIGGER hub_changed ON push.hub IS
    'What is sent by it may need another approval, and then another schedule holds.';

CREATE FUNCTION push.test_campaign(
    campaign text, tags text[], INOUT revision int DEFAULT NULL, OUT run bigint, OUT key text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
    known push.campaign := push.campaign_of(campaign);
    this push.campaign_revision;
    sent json;
    theirs text;
BEGIN
    PERFORM push.begin_action();
    PERFORM push.require_read_committed('push.test_campaign');
    IF known.state <> 'ready' THEN
        RAISE EXCEPTION USING
            ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('campaign %s is %s', campaign, CASE known.state WHEN 'draft' THEN 'a draft' ELSE 'retired' END),
            HINT = 'fanfare campaign create makes it ready.';
    END IF;
    this := push.revision_known(known, coalesce(revision, known.revision));
    revision := this.revision;
    -- A test needs no approval, so it does not go to those whom the campaign is for.
    SELECT t.tag INTO theirs
      FROM unnest(tags) t(tag)
     WHERE t.tag IN (SELECT e.value #>> '{}' FROM json_array_elements(this.spec -> 'audience' -> 'tags') e)
        OR t.tag IN (SELECT m.word[1] FROM regexp_matches(this.spec -> 'audience' ->> 'expression', '[A-Za-z0-9_@#.:-]+', 'g') m(word))
     LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('tag %s is in the audience of campaign %s', theirs, campaign),
            HINT = 'A test goes to a tag of your own people.';
    END IF;
    -- Only what is said and how: neither pace nor limits nor times of the campaign hold for a test.
    sent := (
        SELECT json_object_agg(m.name, m.value)
          FROM (SELECT e.key AS name, e.value
                  FROM json_each(this.spec) e
                 WHERE e.key IN ('hubs', 'format', 'headers', 'content', 'fallback', 'priority', 'expires', 'onDoubt', 'pack')
                 UNION ALL
                SELECT 'audience', json_build_object('tags', coalesce(tags, '{}'))) m);
    key := 'test-' || to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');
    SELECT b.run INTO run FROM push.begin_run(known, this.revision, key, push.caller(), 'running', NULL, sent) b;
    INSERT INTO push.audit (action, detail)
    VALUES ('test_campaign', json_build_object('campaign', campaign, 'key', key, 'revision', revision, 'tags', tags));
    PERFORM push.wake_up();
END $$;
COMMENT ON FUNCTION push.test_campaign IS
    'Sends what a revision says to tags of a test audience, approved or not; revision null: the newest. Its run has a key '
    'that begins with test- and is in no count of the campaign. Refuses tags that the audience of the revision names.';

SELECT push.grant_roles();

INSERT INTO push.migration (version, name, works_from) VALUES (66, 'approval', 61);
