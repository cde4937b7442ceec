-- What happens to runs, for programs that follow them.

CREATE OR REPLACE FUNCTION push_internal.run_changed() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    this push.run_event;
BEGIN
    INSERT INTO push.run_event AS e (run, event, was, state, why, who)
    SELECT new.id, new.event, CASE WHEN TG_OP = 'UPDATE' THEN old.state END, new.state, new.why,
           CASE WHEN TG_OP = 'INSERT' THEN new.started_by ELSE push.person() END
     WHERE EXISTS (SELECT FROM push.run r WHERE r.id = new.id)
    RETURNING e.* INTO this;
    PERFORM pg_notify('push_campaign', json_build_object(
                'id', this.id, 'campaign', c.name, 'key', new.key, 'run', new.id, 'event', new.event, 'state', new.state)::text)
       FROM push.campaign c
      WHERE c.id = new.campaign AND this.id IS NOT NULL;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION push_internal.run_changed IS
    'Keeps in push.run_event what happened to a run, and notifies push_campaign.';

-- Deferred to the commit: readers wait for every transaction that took a number, and a start may count a view for minutes.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = 'push.run'::regclass AND t.tgname = 'run_changed') THEN
        CREATE CONSTRAINT TRIGGER run_changed AFTER INSERT OR UPDATE OF state, event ON push.run
            DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NOT new.is_test) EXECUTE FUNCTION push_internal.run_changed();
    END IF;
END $$;
COMMENT ON TRIGGER run_changed ON push.run IS 'Keeps each start and each change of a state.';

CREATE OR REPLACE FUNCTION push.run_events_since(mark text DEFAULT NULL, campaign text DEFAULT NULL, at_most int DEFAULT 1000)
RETURNS TABLE (
    next_mark   text,
    event       text,
    at          timestamptz,
    of_campaign text,
    key         text,
    run         bigint,
    was         push.run_state,
    state       push.run_state,
    why         text,
    who         text,
    more        boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
    head bigint;
    horizon bigint;                -- every event up to it is committed, or never will be
    last bigint;
    given int := 0;
    this record;
BEGIN
    PERFORM push_internal.check_reading('push.run_events_since', mark, at_most);
    PERFORM push_internal.campaign_of(run_events_since.campaign) WHERE run_events_since.campaign IS NOT NULL;
    SELECT CASE WHEN s.is_called THEN s.last_value ELSE 0 END INTO head FROM push.arrival s;
    horizon := push_internal.highest_settled_arrival(head);
    last := coalesce(split_part(mark, '.', 1)::bigint, horizon);
    FOR this IN
        SELECT e.id, e.event, e.at, c.name, r.key, e.run, e.was, e.state, e.why, e.who
          FROM push.run_event e
               JOIN push.run r ON r.id = e.run
               JOIN push.campaign c ON c.id = r.campaign
         WHERE e.id > last AND e.id <= horizon
           AND (run_events_since.campaign IS NULL OR c.name = run_events_since.campaign)
         ORDER BY e.id
         LIMIT at_most
    LOOP
        given := given + 1;
        last := this.id;
        RETURN QUERY SELECT this.id::text, this.event, this.at, this.name, this.key, this.run, this.was, this.state, this.why, this.who,
                            NULL::boolean;
    END LOOP;
    IF given < at_most THEN
        last := greatest(last, horizon);
    END IF;
    RETURN QUERY SELECT last::text, NULL, NULL::timestamptz, NULL, NULL, NULL::bigint, NULL::push.run_state, NULL::push.run_state, NULL, NULL,
                        last < horizon;
END $$;
COMMENT ON FUNCTION push.run_events_since IS
    'What happened to runs after a mark, in the order in which it was recorded; campaign: to those of one. Every row '
    'has the mark to go on from. The last row has no event: it says how far the call looked, and whether there is more '
    'to read at once. Keep the mark together with what you did: then no event is missed or read twice. mark '
    'null: from now on; 0: all that is kept. NOTIFY push_campaign comes with each event, as JSON; it is a hint, so ask now '
    'and then without it. Tests leave no event. A transaction that wrote results and is still open holds later events back.';
