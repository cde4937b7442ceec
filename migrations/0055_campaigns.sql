-- Fanfare, migration 55: Campaigns: what is said, to whom, at which pace; and their runs.

LOCK TABLE push.migration IN EXCLUSIVE MODE;            -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

DO $$
BEGIN
    IF NOT EXISTS (
        SELECT
          FROM pg_attribute a
         WHERE a.attrelid = 'push.message'::regclass
           AND a.attname = 'run_content')
    THEN
        RAISE EXCEPTION USING
            ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = 'this schema was made before campaigns, by a build of Fanfare that was never released',
            HINT = 'Send what is pending with that build, then DROP SCHEMA push CASCADE and run fanfare migrate up.';
    END IF;
END $$;

CREATE TYPE push.campaign_state AS ENUM ('draft', 'ready', 'retired');
COMMENT ON TYPE push.campaign_state IS
    'draft: its spec may still be wrong, and it cannot be run. ready: it can be run. retired: it is kept for its history '
    'and cannot be run.';

CREATE TYPE push.run_state AS ENUM (
    'waiting', 'canary', 'running', 'paused', 'cancelling', 'cancelled', 'done', 'failed', 'expired', 'skipped');
COMMENT ON TYPE push.run_state IS
    'waiting: it begins when the runs before it are over. canary: its first recipients have their messages, and the rest '
    'waits for their results. running: its audience is expanded and sent. paused: nothing '
    'more is expanded or sent until push.resume_run. cancelling: nothing more is sent, and what is on the wire ends. The '
    'others are final: cancelled, done, failed (nothing could be sent), expired (its time was up before its audience was '
    'through), skipped (its time came while another run was not over).';

CREATE TABLE push.campaign (
    id         int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name       text COLLATE "C" NOT NULL UNIQUE
               CONSTRAINT name_is_short_and_plain CHECK (name ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
    state      push.campaign_state NOT NULL DEFAULT 'ready',
    revision   int NOT NULL DEFAULT 0,
    changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    next_at    timestamptz,
    fires_at   timestamptz,
    upcoming   timestamptz[] NOT NULL DEFAULT '{}',
    schedule_paused_at timestamptz,
    schedule_why       text,
    unapproved         text
) WITH (fillfactor = 70);
CREATE INDEX campaign_fires ON push.campaign (fires_at) WHERE fires_at IS NOT NULL;
CREATE INDEX campaign_unapproved ON push.campaign (id) WHERE unapproved IS NOT NULL;
COMMENT ON TABLE push.campaign IS 'The campaigns by name. Small, and updated; every change is in push.audit.';
COMMENT ON COLUMN push.campaign.id IS 'Number of the campaign in the other tables.';
COMMENT ON COLUMN push.campaign.name IS '1 to 63 of a-z 0-9 _ -, not beginning with _ or -.';
COMMENT ON COLUMN push.campaign.state IS 'Whether it can be run.';
COMMENT ON COLUMN push.campaign.revision IS
    'The newest revision: push.campaign_revision.revision. The next run uses it, where it needs no approval or has it.';
COMMENT ON COLUMN push.campaign.changed_at IS 'When it got that revision, or was retired.';
COMMENT ON COLUMN push.campaign.next_at IS
    'The time of its schedule that comes next; -infinity: a worker is about to work it out, from fires_at on. Null: it '
    'has no schedule, or the schedule is paused or over. Workers move it (push.fire_v1).';
COMMENT ON COLUMN push.campaign.fires_at IS 'When the run of next_at begins: next_at and its share of the jitter.';
COMMENT ON COLUMN push.campaign.upcoming IS
    'The next five times of its schedule, next_at first, as a worker worked them out: push.campaign_next shows them.';
COMMENT ON COLUMN push.campaign.schedule_paused_at IS 'Since when its schedule is paused; null: it is not.';
COMMENT ON COLUMN push.campaign.schedule_why IS
    'Why it is paused: who paused it, with a note, or what failed. Not paused: why no worker can work it out.';
COMMENT ON COLUMN push.campaign.unapproved IS
    'push.unapproved, as of the last change of the campaign, of its approvals or of its hubs.';
COMMENT ON INDEX push.campaign_fires IS 'Which campaigns fire: asked once a second by every worker.';
COMMENT ON INDEX push.campaign_unapproved IS 'Campaigns of which an older revision or none is sent.';

CREATE TABLE push.campaign_revision (
    campaign int NOT NULL REFERENCES push.campaign,
    revision int NOT NULL,
    hash     text NOT NULL,
    spec     json NOT NULL,
    by       text NOT NULL DEFAULT push.caller(),
    at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    login    text NOT NULL DEFAULT session_user,
    is_draft boolean NOT NULL DEFAULT false,
    approval text NOT NULL GENERATED ALWAYS AS (coalesce(spec ->> 'approval', 'none')) STORED,
    PRIMARY KEY (campaign, revision)
);
CREATE INDEX campaign_revision_asks ON push.campaign_revision (campaign) WHERE approval <> 'none';
COMMENT ON TABLE push.campaign_revision IS
    'What was asked, whole, each time it changed. Append-only, but for is_draft.';
COMMENT ON COLUMN push.campaign_revision.campaign IS 'The campaign: push.campaign.id.';
COMMENT ON COLUMN push.campaign_revision.revision IS 'From 1 on, within the campaign.';
COMMENT ON COLUMN push.campaign_revision.hash IS
    'SHA-256 of the spec with its members in one order: the same spec written differently has the same hash.';
COMMENT ON COLUMN push.campaign_revision.spec IS 'The spec as it was given: docs/campaigns.md, "The spec".';
COMMENT ON COLUMN push.campaign_revision.by IS 'Who gave it.';
COMMENT ON COLUMN push.campaign_revision.at IS 'When.';
COMMENT ON COLUMN push.campaign_revision.login IS 'The login of that session: by may be a role that several logins share.';
COMMENT ON COLUMN push.campaign_revision.is_draft IS 'Whether it was kept as a draft, and not made ready since.';
COMMENT ON COLUMN push.campaign_revision.approval IS 'The member approval of the spec; none: it has no such member.';
COMMENT ON INDEX push.campaign_revision_asks IS 'Which campaigns ever asked for approval: few among many.';

CREATE TABLE push.run (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    campaign      int NOT NULL,
    revision      int NOT NULL,
    key           text COLLATE "C" NOT NULL
                  CONSTRAINT key_has_1_to_200_characters CHECK (length(key) BETWEEN 1 AND 200),
    state         push.run_state NOT NULL DEFAULT 'running',
    why           text,
    rate          real,
    estimate      bigint,
    started_by    text NOT NULL DEFAULT push.caller(),
    started_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    state_since   timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_after interval,
    ends_at       timestamptz,
    ended_at      timestamptz,
    closed_at     timestamptz,
    stop_when     json,
    canary        json,
    canary_size   bigint,
    canary_judged_at timestamptz,
    test          json,
    is_test       boolean NOT NULL GENERATED ALWAYS AS (test IS NOT NULL) STORED,
    bypasses_suppression boolean NOT NULL DEFAULT false,
    send_window   json,
    ramp          interval,
    UNIQUE (campaign, key),
    FOREIGN KEY (campaign, revision) REFERENCES push.campaign_revision
) WITH (fillfactor = 70);
CREATE INDEX run_open ON push.run (id) WHERE closed_at IS NULL;
COMMENT ON TABLE push.run IS
    'One start of a campaign. Its key is used once: a second start with it joins the run. Small, and updated; every '
    'change is in push.audit.';
COMMENT ON COLUMN push.run.id IS 'Number of the run in the other tables.';
COMMENT ON COLUMN push.run.campaign IS 'The campaign: push.campaign.id.';
COMMENT ON COLUMN push.run.revision IS 'The revision it sends. A later edit of the campaign does not change it.';
COMMENT ON COLUMN push.run.key IS
    'What the caller named it, such as the date. Its messages have it as push.message.run.';
COMMENT ON COLUMN push.run.state IS 'Where it stands.';
COMMENT ON COLUMN push.run.why IS 'Why it is in this state, in words; null: nothing to say.';
COMMENT ON COLUMN push.run.rate IS
    'Messages a second over all hubs (push.set_run_rate). Null: as fast as the hubs take them.';
COMMENT ON COLUMN push.run.estimate IS
    'How many recipients its audience had at the start: counted for tags and lists, guessed by PostgreSQL for a view. '
    'Null: not known.';
COMMENT ON COLUMN push.run.started_by IS 'Who started it.';
COMMENT ON COLUMN push.run.started_at IS 'When it was started.';
COMMENT ON COLUMN push.run.state_since IS 'Since when it is in its state.';
COMMENT ON COLUMN push.run.expires_after IS
    'How long after its start its messages may be sent (expires of the spec); null: as the hub says, from each '
    'message''s time on.';
COMMENT ON COLUMN push.run.ends_at IS
    'When it expires if its audience is not through (maxDuration of the spec); null: never.';
COMMENT ON COLUMN push.run.ended_at IS 'When it got its final state; null: it has none.';
COMMENT ON COLUMN push.run.closed_at IS
    'Since when every message of it is final and counted. Null: some are not; workers look after it.';
COMMENT ON COLUMN push.run.stop_when IS
    'When it pauses by itself: {"rejected": share, "doubt": share, "least": results}. Null: never.';
COMMENT ON COLUMN push.run.canary IS 'As in its spec; null: it has none.';
COMMENT ON COLUMN push.run.canary_size IS 'How many recipients get a message before the rest does.';
COMMENT ON COLUMN push.run.canary_judged_at IS
    'When it was decided whether the rest is sent, by the thresholds or by a person; null: it is not.';
COMMENT ON COLUMN push.run.test IS
    'What a test sends instead of its revision''s spec, without the content (push.test_campaign); null: it is no test.';
COMMENT ON COLUMN push.run.is_test IS 'Whether it goes to a test audience: it is then in no count of its campaign.';
COMMENT ON COLUMN push.run.bypasses_suppression IS
    'Whether it reaches suppressed recipients, too. push.audit has who asked for it.';
COMMENT ON COLUMN push.run.send_window IS
    'The hours in which its streams are expanded (window of the spec), with the zone that counts for a stream without '
    'one. Null: all hours.';
COMMENT ON COLUMN push.run.ramp IS 'In which time from its start its rate grows to the full one; null: at once.';
COMMENT ON INDEX push.run_open IS 'Runs that workers look after: few among many.';

CREATE TABLE push.run_content (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run      bigint NOT NULL UNIQUE REFERENCES push.run,
    format   text NOT NULL,
    headers  json,
    content  json NOT NULL,
    fallback text
);
COMMENT ON TABLE push.run_content IS
    'What a run says, once: push.message.run_content names it, and the message has only what is its recipient''s own.';
COMMENT ON COLUMN push.run_content.id IS 'Number of the content.';
COMMENT ON COLUMN push.run_content.run IS 'The run: push.run.id.';
COMMENT ON COLUMN push.run_content.format IS 'As push.message.format.';
COMMENT ON COLUMN push.run_content.headers IS 'As push.message.headers.';
COMMENT ON COLUMN push.run_content.content IS
    'By locale: {"en": {"title": "..."}, "fr": {...}, "": {...}}. Under "": what all languages share, or the only '
    'content. A native format has one payload per locale, or one under "".';
COMMENT ON COLUMN push.run_content.fallback IS
    'The locale for recipients whose language is not there; null: what is under "".';

CREATE TABLE push.stream (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run        bigint NOT NULL REFERENCES push.run,
    hub        smallint NOT NULL REFERENCES push.hub,
    zone       text,
    part       text,
    zone_known boolean NOT NULL DEFAULT true,
    priority   smallint NOT NULL,
    release_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    cursor     text,
    expanded   bigint NOT NULL DEFAULT 0,
    slices     int NOT NULL DEFAULT 0,
    done_at    timestamptz
) WITH (fillfactor = 50);
CREATE INDEX stream_of_run ON push.stream (run);
COMMENT ON TABLE push.stream IS
    'How far the audience of a run is expanded into messages, for each of its hubs. Its row lock keeps two workers '
    'from expanding the same stretch.';
COMMENT ON COLUMN push.stream.id IS 'Number of the stream.';
COMMENT ON COLUMN push.stream.run IS 'The run: push.run.id.';
COMMENT ON COLUMN push.stream.hub IS 'The hub: push.hub.id.';
COMMENT ON COLUMN push.stream.zone IS
    'The time zone whose clocks say when it begins and whether its window is open; null: the run is not local.';
COMMENT ON COLUMN push.stream.part IS
    'Which recipients it has: those whose time_zone is this, or, of an audience of tags, those that have this tag too. '
    'Null: all of them, or, where zone_known is false, those without a time_zone.';
COMMENT ON COLUMN push.stream.zone_known IS
    'False: part is null or not the name of a time zone of the run, so the run''s default zone stands in.';
COMMENT ON COLUMN push.stream.priority IS 'As push.message.priority.';
COMMENT ON COLUMN push.stream.release_at IS 'When it begins.';
COMMENT ON COLUMN push.stream.cursor IS 'The last key of the audience that was expanded; null: none.';
COMMENT ON COLUMN push.stream.expanded IS 'Messages made so far.';
COMMENT ON COLUMN push.stream.slices IS 'Slices made so far.';
COMMENT ON COLUMN push.stream.done_at IS 'When the audience was through; null: it is not.';
COMMENT ON INDEX push.stream_of_run IS 'The streams of a run.';

CREATE TABLE push.slice (
    stream    bigint NOT NULL REFERENCES push.stream,
    n         int NOT NULL,
    first_id  bigint NOT NULL,
    last_id   bigint NOT NULL,
    rows      int NOT NULL,
    refused   int NOT NULL DEFAULT 0,
    left_out  json NOT NULL DEFAULT '{}',
    due_from  timestamptz NOT NULL,
    due_to    timestamptz NOT NULL,
    at        timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (stream, n)
);
COMMENT ON TABLE push.slice IS
    'One transaction of expansion each: a stretch of ids, and of the index push.due_in_order. Append-only.';
COMMENT ON COLUMN push.slice.stream IS 'The stream: push.stream.id.';
COMMENT ON COLUMN push.slice.n IS 'From 1 on, within the stream.';
COMMENT ON COLUMN push.slice.first_id IS
    'The first message. Ids of others may lie in between; they have another run_content.';
COMMENT ON COLUMN push.slice.last_id IS 'The last message.';
COMMENT ON COLUMN push.slice.rows IS 'Messages made, with those that were refused at once.';
COMMENT ON COLUMN push.slice.refused IS 'Messages of them that were refused at once, and never had a pointer.';
COMMENT ON COLUMN push.slice.left_out IS 'Recipients that got no message, by reason: {"suppressed": 12, "capped": 40}.';
COMMENT ON COLUMN push.slice.due_from IS 'send_at of its first message.';
COMMENT ON COLUMN push.slice.due_to IS
    'send_at of its last message; of a zone''s first slice it is later while zones that began earlier fill the rate.';
COMMENT ON COLUMN push.slice.at IS 'When it was made.';

CREATE TABLE push.slice_count (
    stream bigint NOT NULL,
    n      int NOT NULL,
    status push.status NOT NULL,
    reason push.reason NOT NULL,
    rows   int NOT NULL,
    PRIMARY KEY (stream, n, status, reason),
    FOREIGN KEY (stream, n) REFERENCES push.slice
);
COMMENT ON TABLE push.slice_count IS
    'What became of a slice''s messages, written when all of them are final. Kept when the messages are purged. '
    'Deleting the rows of a slice opens it again: push.retry, push.resolve and late answers do that.';
COMMENT ON COLUMN push.slice_count.stream IS 'The stream: push.stream.id.';
COMMENT ON COLUMN push.slice_count.n IS 'The slice: push.slice.n.';
COMMENT ON COLUMN push.slice_count.status IS 'A final status.';
COMMENT ON COLUMN push.slice_count.reason IS 'Why; push.reason_class(reason) names who must act.';
COMMENT ON COLUMN push.slice_count.rows IS 'How many messages of the slice.';

CREATE TABLE push.list (
    id   int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text COLLATE "C" NOT NULL UNIQUE
         CONSTRAINT name_is_short_and_plain CHECK (name ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
    by   text NOT NULL DEFAULT push.caller(),
    at   timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE push.list IS 'Audiences that came from files.';
COMMENT ON COLUMN push.list.id IS 'Number of the list.';
COMMENT ON COLUMN push.list.name IS 'What a spec names: {"list": "beta"}.';
COMMENT ON COLUMN push.list.by IS 'Who made it.';
COMMENT ON COLUMN push.list.at IS 'When.';

CREATE TABLE push.list_member (
    list       int NOT NULL REFERENCES push.list ON DELETE CASCADE,
    key        text COLLATE "C" NOT NULL,
    tag        text COLLATE "C",
    handle     text COLLATE "C",
    locale     text COLLATE "C",
    properties json,
    time_zone  text COLLATE "C",
    PRIMARY KEY (list, key),
    CONSTRAINT recipient_has_a_tag_or_a_handle CHECK (num_nonnulls(tag, handle) = 1)
);
CREATE INDEX list_member_by_zone ON push.list_member (list, time_zone, key);
COMMENT ON TABLE push.list_member IS 'The recipients of a list.';
COMMENT ON COLUMN push.list_member.list IS 'The list: push.list.id.';
COMMENT ON COLUMN push.list_member.key IS 'Who it is, such as the user''s id; once in a list.';
COMMENT ON COLUMN push.list_member.tag IS 'The tag that reaches the recipient; null: handle does.';
COMMENT ON COLUMN push.list_member.handle IS 'The device handle of the recipient; null: tag reaches it.';
COMMENT ON COLUMN push.list_member.locale IS 'The recipient''s language; null: the fallback''s.';
COMMENT ON COLUMN push.list_member.properties IS
    'The recipient''s own texts, a flat object of strings such as {"name": "Ada"}; null: none.';
COMMENT ON COLUMN push.list_member.time_zone IS
    'The recipient''s time zone, such as Europe/Berlin; null: the default of the campaign.';
COMMENT ON INDEX push.list_member_by_zone IS 'The zones of a list, and the recipients of each in the order of their keys.';

CREATE TABLE push.suppression (
    what   text NOT NULL CONSTRAINT what_is_tag_handle_or_key CHECK (what IN ('tag', 'handle', 'key')),
    value  text COLLATE "C" NOT NULL,
    reason text,
    until  timestamptz,
    by     text NOT NULL DEFAULT push.caller(),
    at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (what, value)
);
COMMENT ON TABLE push.suppression IS
    'Who is never reached by a campaign. Single messages are the backend''s own word and are not held back.';
COMMENT ON COLUMN push.suppression.what IS 'Whether value is a tag, a device handle or the key of a recipient.';
COMMENT ON COLUMN push.suppression.value IS 'The tag, handle or key.';
COMMENT ON COLUMN push.suppression.reason IS
    'Why, for people: unsubscribed, complaint, bounced, test, or any words. Null: not said.';
COMMENT ON COLUMN push.suppression.until IS 'Until when; null: for good.';
COMMENT ON COLUMN push.suppression.by IS 'Who added it.';
COMMENT ON COLUMN push.suppression.at IS 'When.';

CREATE FUNCTION push.contents_of_run(run bigint) RETURNS bigint[]
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
RETURN ARRAY(SELECT c.id FROM push.run_content c WHERE c.run = contents_of_run.run);
COMMENT ON FUNCTION push.contents_of_run IS
    'What push.message.run_content says of a run''s messages. Only for other functions.';

CREATE FUNCTION push.uncounted_slices(first bigint, last bigint) RETURNS TABLE (first_id bigint, last_id bigint)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
    SELECT s.first_id, s.last_id
      FROM push.run r
           JOIN push.stream t ON t.run = r.id
           JOIN push.slice s ON s.stream = t.id
     WHERE r.closed_at IS NULL
       AND s.rows > 0
       AND s.first_id <= uncounted_slices.last
       AND s.last_id >= uncounted_slices.first
       AND NOT EXISTS (SELECT FROM push.slice_count c WHERE c.stream = s.stream AND c.n = s.n OFFSET 0)
$$;
COMMENT ON FUNCTION push.uncounted_slices IS
    'The slices within a range of ids that are not counted yet: push.purge keeps their messages, because a run ends '
    'only when all of its slices are counted. Only for other functions.';

CREATE FUNCTION push.reopen_slices(ids bigint[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    runs constant bigint[] := ARRAY(
        SELECT DISTINCT c.run
          FROM unnest(ids) u(id),
               LATERAL (SELECT m.run_content FROM push.message m WHERE m.id = u.id OFFSET 0) m,
               LATERAL (SELECT c.run FROM push.run_content c WHERE c.id = m.run_content OFFSET 0) c);
BEGIN
    IF runs = '{}' THEN
        RETURN;
    END IF;
    -- The run first, as all who change it do. A run that was over goes on: it ends again when the slices are closed.
    UPDATE push.run r
       SET closed_at = NULL,
           state = CASE WHEN r.state IN ('done', 'failed') THEN 'running' ELSE r.state END,
           state_since = CASE WHEN r.state IN ('done', 'failed') THEN clock_timestamp() ELSE r.state_since END,
           ended_at = CASE WHEN r.state IN ('done', 'failed') THEN NULL ELSE r.ended_at END
     WHERE r.id IN (SELECT r.id FROM push.run r WHERE r.id = ANY (runs) ORDER BY r.id FOR NO KEY UPDATE);
    -- By place, from the streams on: as a join it may begin with the counts of all runs that there ever were.
    DELETE FROM push.slice_count d
     WHERE d.ctid = ANY (ARRAY(
               SELECT c.ctid
                 FROM push.stream t,
                      LATERAL (
                          SELECT s.n
                            FROM push.slice s
                           WHERE s.stream = t.id
                             AND EXISTS (SELECT FROM unnest(ids) u(id) WHERE u.id BETWEEN s.first_id AND s.last_id)
                          OFFSET 0) s,
                      LATERAL (
                          SELECT c.ctid
                            FROM push.slice_count c
                           WHERE c.stream = t.id
                             AND c.n = s.n
                          OFFSET 0) c
                WHERE t.run = ANY (runs)));
END $$;
COMMENT ON FUNCTION push.reopen_slices IS
    'The results of these messages change after their slices were counted: the slices are open again. Only for other '
    'functions.';

INSERT INTO push.migration (version, name, works_from) VALUES (55, 'campaigns', 61);
