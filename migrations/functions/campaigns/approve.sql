-- Who has read a revision of a campaign before it is sent: approving, rejecting, and what changed.

CREATE OR REPLACE FUNCTION push_internal.verdict_stays() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION USING
        ERRCODE = 'feature_not_supported', MESSAGE = format('%s of push.approval is refused', TG_OP),
        HINT = 'Of a revision the newest verdict counts: push.approve, push.reject.';
END $$;
COMMENT ON FUNCTION push_internal.verdict_stays IS 'Trigger: refuses UPDATE, DELETE and TRUNCATE.';

CREATE OR REPLACE TRIGGER verdict_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON push.approval
    FOR EACH STATEMENT EXECUTE FUNCTION push_internal.verdict_stays();
COMMENT ON TRIGGER verdict_stays ON push.approval IS 'Refuses UPDATE, DELETE and TRUNCATE with a hint.';

CREATE OR REPLACE FUNCTION push_internal.wrong_approval(approval json) RETURNS push.problem
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
    WHEN json_typeof(approval) <> 'string' OR approval #>> '{}' NOT IN ('none', 'one', 'two')
    THEN push_internal.spec_problem('approval', format('is %s, not "none", "one" or "two"', left(approval::text, 60)),
                           'one: somebody has to approve it. two: somebody other than the person who made it.')
END;
COMMENT ON FUNCTION push_internal.wrong_approval IS
    'What is wrong with the approval that a spec asks for; null: nothing.';

CREATE OR REPLACE FUNCTION push.revisions_of(campaign int)
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
           concat_ws(', and then ', s.standing, push_internal.stale_approval(s.approval)),
           coalesce(s.revision = to_run AND known.state = 'ready', false),
           s.base, push_internal.hash_of_revision(r.campaign, r.revision)
      FROM push_internal.standings_of(known.id) s
           JOIN push.campaign_revision r ON r.campaign = known.id AND r.revision = s.revision;
END $$;
COMMENT ON FUNCTION push.revisions_of IS 'What push.approvals shows of a campaign.';

CREATE OR REPLACE FUNCTION push_internal.revision_known(campaign push.campaign, revision int) RETURNS push.campaign_revision
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
COMMENT ON FUNCTION push_internal.revision_known IS 'A revision of a campaign; raises if it does not exist.';

CREATE OR REPLACE FUNCTION push_internal.json_values_by_path(document jsonb) RETURNS TABLE (path text, value text)
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
COMMENT ON FUNCTION push_internal.json_values_by_path IS
    'The values of a JSON object that are no objects, with their paths.';

CREATE OR REPLACE FUNCTION push.changes_of_revision(campaign text, revision int)
RETURNS TABLE (path text, before text, after text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
    known constant push.campaign := push_internal.campaign_of(changes_of_revision.campaign);
    this constant push.campaign_revision := push_internal.revision_known(known, changes_of_revision.revision);
    base record;
BEGIN
    SELECT r.spec, coalesce(a.settings, push_internal.settings_of_spec(r.spec)) AS settings INTO base
      FROM push_internal.standings_of(known.id) s
           JOIN push_internal.standings_of(known.id) b ON b.revision = s.base
           JOIN push.campaign_revision r ON r.campaign = known.id AND r.revision = b.revision
           LEFT JOIN push.approval a ON a.id = b.approval
     WHERE s.revision = this.revision;
    RETURN QUERY
    SELECT path, b.value, n.value
      FROM push_internal.json_values_by_path(base.spec::jsonb || jsonb_build_object('settings', base.settings)) b
           FULL JOIN push_internal.json_values_by_path(this.spec::jsonb || jsonb_build_object('settings', push_internal.settings_of_spec(this.spec))) n
               USING (path)
     WHERE b.value IS DISTINCT FROM n.value
     ORDER BY path COLLATE "C";
END $$;
COMMENT ON FUNCTION push.changes_of_revision IS
    'What a revision says that push.approvals.base did not: paths in the spec, with the values before and after, '
    'null: not there. Below settings: those settings of its hubs that change what is sent, before as they were at '
    'that approval.';

CREATE OR REPLACE FUNCTION push_internal.record_verdict(
    known push.campaign, this push.campaign_revision, verdict text, hash text, note text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    schedule constant jsonb := push_internal.schedule_of(known.id);
BEGIN
    INSERT INTO push.approval (campaign, revision, hash, verdict, note, settings)
    VALUES (known.id, this.revision, record_verdict.hash, record_verdict.verdict, left(push_internal.said(record_verdict.note), 2000),
            push_internal.settings_of_spec(this.spec));
    PERFORM push_internal.update_unapproved(known.id);
    IF schedule IS DISTINCT FROM push_internal.schedule_of(known.id)::jsonb THEN
        PERFORM push_internal.reschedule(known.id);
    END IF;
    INSERT INTO push.audit (action, detail)
    VALUES (CASE verdict WHEN 'approved' THEN 'approve' ELSE 'reject' END,
            json_strip_nulls(json_build_object('campaign', known.name, 'revision', this.revision, 'hash', record_verdict.hash,
                                               'note', record_verdict.note)));
END $$;
COMMENT ON FUNCTION push_internal.record_verdict IS 'Records a verdict.';

CREATE OR REPLACE FUNCTION push.approve(campaign text, revision int, hash text, note text DEFAULT NULL) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
    known push.campaign := push_internal.campaign_of(campaign);
    this constant push.campaign_revision := push_internal.revision_known(known, revision);
    named constant text := push_internal.named_person();
    current_hash text;
    standing record;
BEGIN
    PERFORM push_internal.begin_action();
    SELECT c.* INTO known FROM push.campaign c WHERE c.id = known.id FOR NO KEY UPDATE;
    current_hash := push_internal.hash_of_revision(known.id, this.revision);
    IF approve.hash IS DISTINCT FROM current_hash THEN
        RAISE EXCEPTION USING
            ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('revision %s of campaign %s does not have the hash %s', this.revision, campaign,
                             coalesce(left(approve.hash, 64), 'NULL')),
            HINT = format('Look again: its hash is %s now.', current_hash);
    END IF;
    SELECT s.* INTO standing FROM push_internal.standings_of(known.id) s WHERE s.revision = this.revision;
    IF standing.approval IS NOT NULL AND push_internal.stale_approval(standing.approval) IS NULL THEN
        RETURN false;
    ELSIF standing.asks = 'two'
          AND push_internal.may_be_one(push.person(), session_user, named IS NOT NULL, this."by", this.login, this.is_person)
    THEN
        RAISE EXCEPTION USING
            ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('%s made revision %s of campaign %s', this."by", this.revision, campaign),
            HINT = 'It asks for the approval of somebody else'
                   || CASE WHEN named IS NULL OR NOT this.is_person THEN ', with another login.' ELSE '.' END;
    END IF;
    PERFORM push_internal.record_verdict(known, this, 'approved', current_hash, note);
    RETURN true;
END $$;
COMMENT ON FUNCTION push.approve IS
    'Lets runs send a revision of a campaign. hash: push.approvals.hash of what was read; refuses another one. '
    'Where it asks for two, the person who made it may not approve it. False: it was approved already, and nothing '
    'changed.';

CREATE OR REPLACE FUNCTION push.reject(campaign text, revision int, note text DEFAULT NULL) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
    known push.campaign := push_internal.campaign_of(campaign);
    this constant push.campaign_revision := push_internal.revision_known(known, revision);
BEGIN
    PERFORM push_internal.begin_action();
    SELECT c.* INTO known FROM push.campaign c WHERE c.id = known.id FOR NO KEY UPDATE;
    IF 'rejected' = (SELECT a.verdict FROM push.approval a
                      WHERE a.campaign = known.id AND a.revision = this.revision ORDER BY a.id DESC LIMIT 1)
    THEN
        RETURN false;
    END IF;
    PERFORM push_internal.record_verdict(known, this, 'rejected', push_internal.hash_of_revision(known.id, this.revision), note);
    RETURN true;
END $$;
COMMENT ON FUNCTION push.reject IS
    'Keeps runs from sending a revision of a campaign, also one that was approved or asks for no approval, until it is '
    'approved. A run that has begun goes on. False: it was rejected already, and nothing changed.';

CREATE OR REPLACE FUNCTION push_internal.hub_changed() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    -- Another revision may be the one that is sent now, with another schedule. A time that has come is left to its worker.
    UPDATE push.campaign c
       SET next_at = '-infinity', fires_at = clock_timestamp(), upcoming = '{}'
     WHERE c.next_at > clock_timestamp()
       AND EXISTS (SELECT FROM push.approval a WHERE a.campaign = c.id AND a.settings ? new.name);
    PERFORM push_internal.update_unapproved(c.id)
       FROM push.campaign c
      WHERE EXISTS (SELECT FROM push.approval a WHERE a.campaign = c.id AND a.settings ? new.name);
    RETURN NULL;
END $$;
COMMENT ON FUNCTION push_internal.hub_changed IS
    'Has workers work out the schedules of campaigns that were approved with this hub anew, and notes which '
    'approvals do not count any more.';

CREATE OR REPLACE TRIGGER hub_changed AFTER UPDATE OF localization, languages, fallback, settings ON push.hub
    FOR EACH ROW
    WHEN ((old.localization, old.languages, old.fallback, old.settings::text)
          IS DISTINCT FROM (new.localization, new.languages, new.fallback, new.settings::text))
    EXECUTE FUNCTION push_internal.hub_changed();
COMMENT ON TRIGGER hub_changed ON push.hub IS
    'What is sent by it may need another approval, and then another schedule holds.';
