-- Which revision of a campaign may be sent, by what was approved.

CREATE OR REPLACE FUNCTION push_internal.settings_of_spec(spec json) RETURNS jsonb
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
COMMENT ON FUNCTION push_internal.settings_of_spec IS
    'The settings of a spec''s hubs that change what is sent, by hub.';

CREATE OR REPLACE FUNCTION push_internal.hash_of_revision(campaign int, revision int) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off AS $$
    SELECT encode(sha256(convert_to(concat_ws(E'\n', r.spec::jsonb, push_internal.settings_of_spec(r.spec)), 'UTF8')), 'hex')
      FROM push.campaign_revision r
     WHERE r.campaign = hash_of_revision.campaign AND r.revision = hash_of_revision.revision
$$;
COMMENT ON FUNCTION push_internal.hash_of_revision IS
    'SHA-256 of what a revision would send: its spec, and the settings of its hubs that change it.';

CREATE OR REPLACE FUNCTION push_internal.changed_settings(given jsonb, current jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT string_agg(format('%s of hub %s', k.key, h.name), ' and ' ORDER BY h.name, k.key)
      FROM jsonb_object_keys(given || current) h(name),
           LATERAL jsonb_object_keys(coalesce(given -> h.name, '{}') || coalesce(current -> h.name, '{}')) k(key)
     WHERE given -> h.name -> k.key IS DISTINCT FROM current -> h.name -> k.key
$$;
COMMENT ON FUNCTION push_internal.changed_settings IS
    'Which settings of hubs differ, such as "fallback of hub news"; null: none.';

CREATE OR REPLACE FUNCTION push_internal.stale_approval(approval bigint) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off AS $$
    SELECT coalesce(push_internal.changed_settings(a.settings, push_internal.settings_of_spec(r.spec)), 'its spec') || ' changed'
      FROM push.approval a
           JOIN push.campaign_revision r ON r.campaign = a.campaign AND r.revision = a.revision
     WHERE a.id = stale_approval.approval
       AND a.hash <> push_internal.hash_of_revision(a.campaign, a.revision)
$$;
COMMENT ON FUNCTION push_internal.stale_approval IS
    'What changed after this approval, so that it does not count any more; null: it counts.';

CREATE OR REPLACE FUNCTION push_internal.standings_of(campaign int)
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
        SELECT r.revision, r.by, r.login, r.is_person, r.is_draft, coalesce(array_position(words, r.approval), 1) AS own,
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
               AND (asked < 3
                    OR NOT push_internal.may_be_one(a.by, a.login, a.is_person, this."by", this.login, this.is_person))
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
COMMENT ON FUNCTION push_internal.standings_of IS
    'What each revision of a campaign asks for and has: is_agreed: it needs no approval, or was given it, by '
    'approval, which may not count any more (push_internal.stale_approval). base: the revision that a reader compares'
    ' it with.';

CREATE OR REPLACE FUNCTION push_internal.standing_of(campaign int, OUT to_run int, OUT unapproved text)
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
    FOR this IN SELECT s.* FROM push_internal.standings_of(known.id) s ORDER BY s.revision DESC LOOP
        stale := CASE WHEN this.asks <> 'none' THEN push_internal.stale_approval(this.approval) END;
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
COMMENT ON FUNCTION push_internal.standing_of IS
    'The revision that a run of a campaign takes, and why it is not the newest (null: it is).';

CREATE OR REPLACE FUNCTION push_internal.update_unapproved(campaign int) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
    UPDATE push.campaign c
       SET unapproved = s.unapproved
      FROM push_internal.standing_of(update_unapproved.campaign) s
     WHERE c.id = update_unapproved.campaign AND c.unapproved IS DISTINCT FROM s.unapproved
$$;
COMMENT ON FUNCTION push_internal.update_unapproved IS 'Keeps push.campaign.unapproved true.';

CREATE OR REPLACE FUNCTION push_internal.refuse_unapproved(known push.campaign) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION USING
        ERRCODE = 'check_violation', SCHEMA = 'push', TABLE = 'campaign_revision', CONSTRAINT = 'revision_is_approved',
        MESSAGE = format('campaign %s: %s', known.name, coalesce(push.unapproved(known.id), 'no revision was approved')),
        HINT = format('Have it read and approved: fanfare campaign approve %s --revision %s', known.name, known.revision);
END $$;
COMMENT ON FUNCTION push_internal.refuse_unapproved IS
    'Raises for a campaign of which no revision may be sent, also if one was approved since.';

CREATE OR REPLACE FUNCTION push_internal.require_newest(name text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    known constant push.campaign := push_internal.campaign_of(name);
    why constant text := push.unapproved(known.id);
BEGIN
    IF why IS NOT NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = format('campaign %s: %s', name, why),
            HINT = 'Keep it with push.create_campaign, have it approved, and start it with push.start_run.';
    END IF;
END $$;
COMMENT ON FUNCTION push_internal.require_newest IS
    'Raises where a run would not send the newest revision of a campaign.';
