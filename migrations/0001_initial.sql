-- Fanfare: schemas, types, tables and indexes. A release freezes this file; the next change of a table is 0002
-- (CONTRIBUTING.md). Functions, views and triggers stand in functions/ and views/, and are replaced. Five stand here,
-- because a column's default calls them: push_internal.caller, push_internal.named_person, push.person,
-- push_internal.arrival_lock and push_internal.next_arrival.

DO $$
BEGIN
    IF getdatabaseencoding() <> 'UTF8' THEN
        RAISE EXCEPTION USING
            ERRCODE = 'feature_not_supported',
            MESSAGE = format('the encoding of database %s is %s, and Fanfare needs UTF8', current_database(),
                             getdatabaseencoding()),
            HINT = 'Make another one: CREATE DATABASE fanfare TEMPLATE template0 ENCODING ''UTF8'' LOCALE ''C.UTF-8''';
    END IF;
END $$;
CREATE SCHEMA push;               -- of two that migrate an empty database, one waits here and then fails
COMMENT ON SCHEMA push IS
    'Fanfare: rows in push.message become push notifications. Tables and views to look at, and the functions for backends '
    'and people.';
CREATE SCHEMA push_worker;
COMMENT ON SCHEMA push_worker IS 'Fanfare: the protocol, which only the daemon calls (role push_worker).';
CREATE SCHEMA push_internal;
COMMENT ON SCHEMA push_internal IS 'Fanfare: functions that only other functions of Fanfare call.';

-- ## The schema itself: its files and releases, and the words of statuses, reasons and verdicts.

CREATE TABLE push.schema_file (
    path        text COLLATE "C" PRIMARY KEY,
    sha256      text,
    applied_at  timestamptz NOT NULL DEFAULT now(),
    applied_by  text NOT NULL DEFAULT session_user,
    app_version text
);
COMMENT ON TABLE push.schema_file IS
    'The files of migrations/ that made this schema. A numbered file runs once; fanfare migrate up runs any other file '
    'again when its text has changed. One session at a time changes the schema: it locks this table.';
COMMENT ON COLUMN push.schema_file.path IS 'The file below migrations/, such as functions/protocol/claim.sql.';
COMMENT ON COLUMN push.schema_file.sha256 IS 'Checksum of the text that was run; null: psql ran it.';
COMMENT ON COLUMN push.schema_file.applied_at IS 'When the file was last run.';
COMMENT ON COLUMN push.schema_file.applied_by IS 'The role that was logged in.';
COMMENT ON COLUMN push.schema_file.app_version IS 'Version of fanfare that ran it; null: psql ran it.';
INSERT INTO push.schema_file (path) VALUES ('0001_initial.sql');

CREATE TABLE push.release (
    release     int PRIMARY KEY,
    works_from  int NOT NULL CONSTRAINT works_from_is_no_later_release CHECK (works_from <= release),
    applied_at  timestamptz NOT NULL DEFAULT now(),
    applied_by  text NOT NULL DEFAULT session_user,
    app_version text
);
COMMENT ON TABLE push.release IS 'The releases of Fanfare whose schema this database has had (migrations/release.sql).';
COMMENT ON COLUMN push.release.release IS 'Number of the release; the highest is that of this schema.';
COMMENT ON COLUMN push.release.works_from IS
    'The oldest release whose builds work with this schema; the highest of all rows counts.';
COMMENT ON COLUMN push.release.applied_at IS 'When the schema first was of this release.';
COMMENT ON COLUMN push.release.applied_by IS 'The role that was logged in.';
COMMENT ON COLUMN push.release.app_version IS 'Version of fanfare that brought it; null: psql did.';

-- Locks that only the owner can take. Advisory locks belong to everybody: any login could hold one and stop us.
CREATE TABLE push.lock (
    name text PRIMARY KEY
);
COMMENT ON TABLE push.lock IS
    'One row per task that only one session may do at a time; the session that does it holds the row''s lock.';
COMMENT ON COLUMN push.lock.name IS 'The task, such as partitions.';
INSERT INTO push.lock (name) VALUES ('partitions'), ('keys'), ('purge'), ('templates');

CREATE TYPE push.status AS ENUM ('scheduled', 'waiting', 'due', 'claimed', 'posting', 'retrying',
    'accepted', 'rejected', 'expired', 'cancelled', 'duplicate', 'in_doubt');
COMMENT ON TYPE push.status IS
    'State of a message. Final: accepted, rejected, expired, cancelled, duplicate, in_doubt. accepted means that the '
    'hub took it, not that a phone showed it.';

CREATE TYPE push.reason AS ENUM (
    'taken_by_hub',                                                                 -- accepted
    'bad_request', 'too_large', 'not_sendable', 'no_fallback', 'late_translation',  -- rejected: content
    'target_gone', 'target_invalid',                                                -- rejected: target
    'attempts_exhausted',                                                           -- rejected: provider
    'expired', 'cancelled_by_caller', 'replaced', 'suppressed', 'duplicate_key',    -- policy
    'answer_lost', 'worker_lost',                                                   -- in doubt: network
    'throttled', 'target_throttled', 'unavailable', 'not_sent', 'auth_refused',     -- retrying
    'hub_closed', 'hub_not_found', 'quota_exceeded', 'released', 'resent',          -- retrying
    'paused', 'resumed', 'waited',                                                  -- retrying
    'resolved');                                                                    -- a person decided
COMMENT ON TYPE push.reason IS 'Why a message has its status. push.reason_class(reason) names who must act.';

CREATE TYPE push.verdict AS ENUM ('accepted', 'target_gone', 'target_invalid', 'too_large', 'rejected', 'throttled',
    'unavailable', 'auth_expired', 'auth_failed', 'hub_not_found', 'quota_exceeded', 'not_sent', 'unknown');
COMMENT ON TYPE push.verdict IS 'What the answer to one post means; the same words for every provider.';

-- ## The hubs that a message may name, and whether each takes posts now.

-- The kinds of hubs as data. The facts are written once, in Sources/PushModel/Message/hub_kinds.json: PushModel compiles
-- them in, and bin/generate writes them into functions/rules/hub_kinds.sql, which writes these rows.
CREATE TABLE push.hub_kind (
    name             text COLLATE "C" PRIMARY KEY,
    label            text NOT NULL,
    formats          text[] NOT NULL,
    handles          int NOT NULL,
    handle           text NOT NULL,
    handle_bytes     int NOT NULL,
    example          text NOT NULL,
    tag              text NOT NULL
                     CONSTRAINT tag_is_expression_topics_or_none CHECK (tag IN ('expression', 'topics', 'none')),
    tags             int NOT NULL,
    mixed_tags       int NOT NULL,
    folds_case       boolean NOT NULL,
    body_bytes       int NOT NULL,
    takes_templates  boolean NOT NULL,
    headers          text[] NOT NULL,
    takes_languages  boolean NOT NULL,
    takes_broadcasts boolean NOT NULL,
    packs            boolean NOT NULL,
    joins_lives      boolean NOT NULL,
    keeps_devices    boolean NOT NULL
);
COMMENT ON TABLE push.hub_kind IS
    'What one post to a service may hold, for each kind of hub. Written only by functions/rules/hub_kinds.sql.';
COMMENT ON COLUMN push.hub_kind.name IS 'push.hub.kind.';
COMMENT ON COLUMN push.hub_kind.label IS 'The service, for people.';
COMMENT ON COLUMN push.hub_kind.formats IS 'Values of push.message.format that it takes.';
COMMENT ON COLUMN push.hub_kind.handles IS 'Handles that one post takes at most.';
COMMENT ON COLUMN push.hub_kind.handle IS 'What a handle is called at the service, for people.';
COMMENT ON COLUMN push.hub_kind.handle_bytes IS 'Bytes that the handles of one message may have together.';
COMMENT ON COLUMN push.hub_kind.example IS 'A payload of the first format, for people.';
COMMENT ON COLUMN push.hub_kind.tag IS
    'What push.message.tag means. expression: tags of devices; topics: topics that phones subscribe to, where '
    'push.hub.tags_are_topics; none: the service knows only single devices.';
COMMENT ON COLUMN push.hub_kind.tags IS 'Tags that one post takes at most when || alone joins them.';
COMMENT ON COLUMN push.hub_kind.mixed_tags IS 'Tags that one post takes at most when && or ! is used.';
COMMENT ON COLUMN push.hub_kind.folds_case IS 'Whether tags compare without case.';
COMMENT ON COLUMN push.hub_kind.body_bytes IS 'Bytes of a body at most.';
COMMENT ON COLUMN push.hub_kind.takes_templates IS 'Whether the service renders templates.';
COMMENT ON COLUMN push.hub_kind.headers IS
    'Headers that a row may set, as far as its format has them; * stands for any letters and hyphens. Empty: none.';
COMMENT ON COLUMN push.hub_kind.takes_languages IS 'Whether a locale can narrow a tag to the devices of one language.';
COMMENT ON COLUMN push.hub_kind.takes_broadcasts IS 'Whether a post can reach every device.';
COMMENT ON COLUMN push.hub_kind.packs IS 'Whether equal contents share a post unless the setting packTags says otherwise.';
COMMENT ON COLUMN push.hub_kind.joins_lives IS
    'Whether messages that end at different times, or have different priorities, may share a post.';
COMMENT ON COLUMN push.hub_kind.keeps_devices IS 'Whether the service keeps devices, which push.put_device changes.';

CREATE TABLE push.hub (
    id              int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name            text COLLATE "C" NOT NULL UNIQUE
                    CONSTRAINT name_is_short_and_plain CHECK (name ~ '^[a-z0-9_-]{1,63}$'),
    kind            text COLLATE "C" NOT NULL DEFAULT 'notification-hubs'
                    CONSTRAINT kind_is_known REFERENCES push.hub_kind,
    takes_templates boolean NOT NULL DEFAULT true,
    is_usual        boolean NOT NULL GENERATED ALWAYS AS (takes_templates AND removed_at IS NULL) STORED,
    tags_are_topics boolean NOT NULL DEFAULT false,
    localization    text NOT NULL DEFAULT 'properties'
                    CONSTRAINT localization_is_properties_or_tags CHECK (localization IN ('properties', 'tags')),
    languages       text[] NOT NULL DEFAULT '{}',
    fallback        text,
    allow_broadcast boolean NOT NULL DEFAULT false,
    broadcast_topic text
                    CONSTRAINT broadcast_topic_is_a_topic CHECK (broadcast_topic COLLATE "C" ~ '^[A-Za-z0-9_.~%-]+$'),
    on_doubt        text NOT NULL DEFAULT 'hold'
                    CONSTRAINT on_doubt_is_hold_or_resend CHECK (on_doubt IN ('hold', 'resend')),
    expire_after    interval NOT NULL DEFAULT '24 hours'
                    CONSTRAINT expire_after_is_a_month_at_most CHECK (expire_after BETWEEN '0 s' AND '30 days'),
    settle          interval NOT NULL DEFAULT '500 ms'
                    CONSTRAINT settle_is_an_hour_at_most CHECK (settle BETWEEN '0 s' AND '1 hour'),
    keep_content    interval NOT NULL DEFAULT '24 hours'
                    CONSTRAINT keep_content_is_a_year_at_most CHECK (keep_content BETWEEN '0 s' AND '365 days'),
    keep_dedupe     interval NOT NULL DEFAULT '168 hours'
                    CONSTRAINT keep_dedupe_is_a_year_at_most CHECK (keep_dedupe BETWEEN '0 s' AND '365 days'),
    keys_per_tenant boolean NOT NULL DEFAULT false,
    settings        json NOT NULL DEFAULT '{}',
    settings_hash   text,
    registered_at   timestamptz NOT NULL DEFAULT now(),
    registered_by   text NOT NULL DEFAULT session_user,
    removed_at      timestamptz,
    removed_by      text
);
COMMENT ON TABLE push.hub IS
    'The hubs a message may name. fanfare migrate up and fanfare hub add write the settings; a worker only registers '
    'hubs that are missing (push_worker.register_hub_v1).';
COMMENT ON COLUMN push.hub.id IS 'Number of the hub in the other tables.';
COMMENT ON COLUMN push.hub.name IS 'What backends write into push.message.hub.';
COMMENT ON COLUMN push.hub.kind IS 'Kind of service: push.hub_kind.name.';
COMMENT ON COLUMN push.hub.takes_templates IS 'As push.hub_kind.takes_templates; push_internal.copy_kind keeps it so.';
COMMENT ON COLUMN push.hub.is_usual IS
    'Whether it was not removed and its kind has no rules of its own for rows: what the trigger of push.message asks at every row.';
COMMENT ON COLUMN push.hub.tags_are_topics IS
    'Whether rows may name topics in push.message.tag, where the kind has topics; false: a tag is refused there.';
COMMENT ON COLUMN push.hub.localization IS 'properties: one post carries every language; tags: one post per locale.';
COMMENT ON COLUMN push.hub.languages IS 'Locales the hub is configured for; a message in another language is refused.';
COMMENT ON COLUMN push.hub.fallback IS 'The locale that stands in for languages a content lacks; null: none.';
COMMENT ON COLUMN push.hub.allow_broadcast IS 'Whether a message may reach every registration.';
COMMENT ON COLUMN push.hub.broadcast_topic IS
    'The topic that a broadcast goes to, where the kind has topics; null: broadcasts are refused there.';
COMMENT ON COLUMN push.hub.on_doubt IS
    'What happens to a message whose post may have been sent and got no answer, unless the message says otherwise: '
    'hold (a person decides) or resend.';
COMMENT ON COLUMN push.hub.expire_after IS
    'How long after its send_at a message may be sent, unless it has an expires_at.';
COMMENT ON COLUMN push.hub.settle IS 'How long a content with a content_key waits for its translations.';
COMMENT ON COLUMN push.hub.keep_content IS 'How long a content_key is remembered.';
COMMENT ON COLUMN push.hub.keep_dedupe IS 'How long a dedupe_key is remembered.';
COMMENT ON COLUMN push.hub.keys_per_tenant IS
    'Whether each push.message.tenant has content_keys and dedupe_keys of its own. False: all share one set of keys, '
    'and the first that uses a key has it. Keys that were used before a change do not count after it.';
COMMENT ON COLUMN push.hub.settings IS 'All settings of the hub as configured, without secrets.';
COMMENT ON COLUMN push.hub.settings_hash IS
    'Changes with the settings. Null: added by push.add_hub; the first worker that has the hub in its configuration '
    'writes its settings.';
COMMENT ON COLUMN push.hub.registered_at IS 'When the hub was first registered.';
COMMENT ON COLUMN push.hub.registered_by IS 'The role that first registered it.';
COMMENT ON COLUMN push.hub.removed_at IS
    'When push.remove_hub removed it: nothing can be enqueued for it; the row stays for what was sent. Null: in use.';
COMMENT ON COLUMN push.hub.removed_by IS 'Who removed it (push.person); null: in use.';

CREATE TABLE push.hub_state (
    hub          int PRIMARY KEY REFERENCES push.hub,
    gate_until   timestamptz,
    held_since   timestamptz,
    hold_reason  text,
    probe_at     timestamptz,
    paused_by    text,
    paused_why   text,
    changed_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    key          text NOT NULL DEFAULT 'primary'
                 CONSTRAINT key_is_primary_or_secondary CHECK (key IN ('primary', 'secondary')),
    key_since    timestamptz,
    key_reason   text,
    rate         real CONSTRAINT rate_is_not_negative CHECK (rate >= 0 AND rate <= 100000),
    paced_from   timestamptz,
    broken_until timestamptz,
    broken_why   text,
    served_at    timestamptz,
    devices_until timestamptz,
    devices_why  text,
    refused_until timestamptz,
    opened_at    timestamptz
) WITH (fillfactor = 20);
COMMENT ON TABLE push.hub_state IS 'Whether a hub takes posts now. One row per hub, shared by all workers.';
COMMENT ON COLUMN push.hub_state.hub IS 'The hub: push.hub.id.';
COMMENT ON COLUMN push.hub_state.gate_until IS
    'The hub throttles: no worker posts before this time. Null or past: the gate is open.';
COMMENT ON COLUMN push.hub_state.held_since IS
    'Since when the hub refuses us (key, name, certificate, or nearly every target); its messages wait. Null: it does '
    'not.';
COMMENT ON COLUMN push.hub_state.hold_reason IS 'What the hub said when it refused us: what to fix. Null: not held.';
COMMENT ON COLUMN push.hub_state.probe_at IS 'When the next message is tried on a held hub. Null: not held, or held until push.resume_hub.';
COMMENT ON COLUMN push.hub_state.paused_by IS
    'Who paused the hub (push.person); push.resume_hub ends that. Null: not paused.';
COMMENT ON COLUMN push.hub_state.paused_why IS 'Why, in the words of that person; null: not said.';
COMMENT ON COLUMN push.hub_state.changed_at IS 'When gate, hold, pause or breaker last changed.';
COMMENT ON COLUMN push.hub_state.key IS
    'The key that workers sign with: primary or secondary. A worker without a secondary key keeps the primary one.';
COMMENT ON COLUMN push.hub_state.key_since IS 'When the key was last changed; null: never.';
COMMENT ON COLUMN push.hub_state.key_reason IS
    'Who changed the key, or what the hub said about the other one; null: it was never changed.';
COMMENT ON COLUMN push.hub_state.rate IS
    'Posts per second at most, over all workers, set by push.set_rate. 0: no limit; null: ratePerSecond of the '
    'configuration.';
COMMENT ON COLUMN push.hub_state.paced_from IS
    'When push.set_rate or push.resume_hub was last called: what push.hub_pace says of the time before does not count any '
    'more. Null: never.';
COMMENT ON COLUMN push.hub_state.broken_until IS
    'Posts of a worker do not get through, and it tries again at this time. The other workers try one post before '
    'they send more. Null: posts get through.';
COMMENT ON COLUMN push.hub_state.broken_why IS 'What went wrong at that worker; null: posts get through.';
COMMENT ON COLUMN push.hub_state.refused_until IS
    'A hold or a wait has ended: what the hub refused meanwhile may be due as late as this, or 60 seconds from '
    'now, and push_worker.return_refused_v1 makes it due at once. Null: that is done.';
COMMENT ON COLUMN push.hub_state.opened_at IS
    'When a person or a post that the hub took last ended a hold or a wait: a refusal of a post that left before says '
    'nothing about the hub any more. Null: never.';
COMMENT ON COLUMN push.hub_state.served_at IS
    'When a worker that has left, or died, last served the hub; push.serving has those that serve it now. Null: no '
    'worker has left.';

-- People change push.hub_state in transactions that may stay open; workers write here several times a second.
CREATE TABLE push.hub_pace (
    hub        int PRIMARY KEY REFERENCES push.hub,
    tokens     double precision,
    tokens_at  timestamptz,
    slowed_to  double precision CONSTRAINT slowed_to_is_positive CHECK (slowed_to > 0),
    slowed_at  timestamptz,
    slowed_why text,
    ramp_from  timestamptz
) WITH (fillfactor = 20);
COMMENT ON TABLE push.hub_pace IS
    'How fast all workers together post to a hub now. One row per hub, which no person''s transaction holds: '
    'push.pace_of reads it.';
COMMENT ON COLUMN push.hub_pace.hub IS 'The hub: push.hub.id.';
COMMENT ON COLUMN push.hub_pace.tokens IS
    'Token bucket of the limit, as of tokens_at: posts that may leave at once. It fills at the rate, up to one '
    'second''s worth. Null: full.';
COMMENT ON COLUMN push.hub_pace.tokens_at IS 'When tokens was counted; null: never.';
COMMENT ON COLUMN push.hub_pace.slowed_to IS
    'Posts per second, over all workers, when the hub last throttled: half of what they were. The limit doubles every '
    '30 seconds and ends after three minutes (push.current_rate). Null: the hub did not throttle.';
COMMENT ON COLUMN push.hub_pace.slowed_at IS 'When the hub last throttled; null: it did not.';
COMMENT ON COLUMN push.hub_pace.slowed_why IS 'What the hub said when it last throttled; null: it did not.';
COMMENT ON COLUMN push.hub_pace.ramp_from IS
    'When posts began again after a minute without any, at a hub with rampSeconds: the limit grows from then on '
    '(push.ramped_rate). Null: the hub has no ramp.';

-- ## What backends write: push.message.

-- Within a function that runs with its owner's rights current_user is the owner; the setting role is the caller's.
CREATE OR REPLACE FUNCTION push_internal.caller() RETURNS text
LANGUAGE sql STABLE
RETURN CASE current_setting('role') WHEN 'none' THEN session_user::text ELSE current_setting('role') END;
COMMENT ON FUNCTION push_internal.caller IS 'The role of SET ROLE, else the login. Rights go by it.';

-- Anybody can make a setting, so this one counts only for logins that the owner trusts with it.
CREATE OR REPLACE FUNCTION push_internal.named_person() RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    named constant text := nullif(current_setting('push.person', true), '');     -- empty: an earlier transaction set it
BEGIN
    IF named IS NULL OR NOT push_internal.may_name_persons() THEN
        RETURN NULL;
    END IF;
    PERFORM push_internal.refuse_person(named);
    RETURN named;
END $$;
COMMENT ON FUNCTION push_internal.named_person IS
    'The setting push.person of a login that may name persons; null: it named nobody, or may not. Refuses what is no '
    'name.';

CREATE OR REPLACE FUNCTION push.person() RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
RETURN coalesce(push_internal.named_person(), push_internal.caller());
COMMENT ON FUNCTION push.person IS
    'Who acts: the person whom a login of push_console named in this transaction (SET LOCAL push.person = ''anna''), '
    'else the role of SET ROLE, else the login.';

-- push.message has no CHECK: PostgreSQL 15 reads and plans each of them again for every statement, and with 14 of them
-- the INSERT of one row cost 2.1 to 2.3 times as much as into a bare table. The trigger push_internal.enqueued, whose plans are
-- kept, tests the same rules and raises the same error: check_violation, with column, value, limit, hint and the name
-- of the rule.
CREATE TABLE push.message (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    hub         text COLLATE "C" NOT NULL,
    tag         text COLLATE "C",
    handles     text[],
    broadcast   boolean NOT NULL DEFAULT false,
    locale      text COLLATE "C",
    content     json NOT NULL,
    content_key text COLLATE "C",
    format      text COLLATE "C" NOT NULL DEFAULT 'template',
    headers     json,
    send_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at  timestamptz,
    priority    smallint NOT NULL DEFAULT 1,
    dedupe_key  text COLLATE "C",
    on_doubt    text COLLATE "C",
    pack        boolean NOT NULL DEFAULT true,
    campaign    text,
    run         text,
    tenant      text,
    traceparent text,
    meta        json,
    after       bigint,
    after_device text COLLATE "C",
    after_at_most interval,
    created_at  timestamptz NOT NULL DEFAULT now(),
    enqueued_by text COLLATE "C" DEFAULT session_user,      -- push_internal.caller() would cost twice as much, in each row
    stream      bigint,
    recipient   text COLLATE "C"
) PARTITION BY RANGE (id);
-- People look for messages by these, and no INSERT pays for it: pages are summarised when 32 of them are full.
CREATE INDEX message_search ON push.message
    USING brin (id, created_at, tag text_bloom_ops(n_distinct_per_range=2000),
                dedupe_key text_bloom_ops(n_distinct_per_range=2000),
                campaign text_bloom_ops(n_distinct_per_range=200), tenant text_bloom_ops(n_distinct_per_range=200))
    WITH (pages_per_range = 32, autosummarize = on);
CREATE INDEX message_expressions ON push.message (id) WHERE tag LIKE '%|%' OR tag LIKE '%&%' OR tag LIKE '%!%';
COMMENT ON INDEX push.message_search IS
    'For push.find_messages. A summary says which values do not stand in 32 pages; autovacuum writes it, and pages '
    'without one are read.';
COMMENT ON INDEX push.message_expressions IS
    'For push.find_messages: messages with a tag expression, few rows among millions.';
-- Never compressed: the stored size of a value is its size in memory, so a claim can count bytes without reading them.
ALTER TABLE push.message
    ALTER content SET STORAGE EXTERNAL,
    ALTER handles SET STORAGE EXTERNAL;
COMMENT ON TABLE push.message IS
    'What to send and to whom. One INSERT is a complete enqueue: INSERT INTO push.message (hub, tag, content) VALUES '
    '(''news'', ''World'', ''{"message": "hi"}'').';
COMMENT ON COLUMN push.message.id IS 'Number of the message, ascending; not writable.';
COMMENT ON COLUMN push.message.hub IS 'Name of a hub in push.hub.';
COMMENT ON COLUMN push.message.tag IS
    'One tag (1 to 120 of A-Z a-z 0-9 _ @ # . : -) or a tag expression such as (a || b) && !c, of 20 tags with || '
    'alone, else 6. Null: handles or broadcast says who gets it.';
COMMENT ON COLUMN push.message.handles IS
    'Device handles for direct send, 1 to 1,000 of 1 to 4,096 characters and 524,288 bytes together, as the '
    'platform''s push service gave them out; only with a native format. One that stands there twice is sent to once. '
    'Null: tag or broadcast says who gets it.';
COMMENT ON COLUMN push.message.broadcast IS
    'True: every registration of the hub gets it. The hub must allow that (allowBroadcast).';
COMMENT ON COLUMN push.message.locale IS
    'BCP 47 language of the content, such as fr or zh-Hans; null: the content has no language.';
COMMENT ON COLUMN push.message.content IS
    'Template properties: one flat JSON object of strings, at most 64 KB. For a native format, the platform''s '
    'payload. The JSON null: erased by push.erase.';
COMMENT ON COLUMN push.message.content_key IS
    'Joins translations that arrive in several statements: rows with the same hub, tag, priority and key are sent '
    'together, after the hub''s settle time or when every language is there. The earliest send_at counts. Remembered '
    'for the hub''s keep_content; a translation that comes later ends as rejected, late_translation. On a hub '
    'localised by tags every row is a post of its own and waits for nothing.';
COMMENT ON COLUMN push.message.format IS
    'template, or a native format: apple, fcmv1, windows, adm, baidu, browser, xiaomi. On a hub localised by '
    'properties a native payload has no locale, because one payload is one language.';
COMMENT ON COLUMN push.message.headers IS
    'Extra provider headers, a flat JSON object. A template takes apns-*, X-WNS-*, X-WindowsPhone-Target, '
    'X-NotificationClass, X-Baidu-Message-Type and ServiceBusNotification-Apns-Expiry; a native format only its own. '
    'Null: none.';
COMMENT ON COLUMN push.message.send_at IS 'Earliest time to send; default: now.';
COMMENT ON COLUMN push.message.expires_at IS 'Latest time to send. Null: send_at plus the hub''s expire_after.';
COMMENT ON COLUMN push.message.priority IS '0 urgent, 1 normal, 2 bulk.';
COMMENT ON COLUMN push.message.dedupe_key IS
    'One content per hub and key, remembered for the hub''s keep_dedupe. A repeated key does not fail: its row ends '
    'as duplicate, and its note names the first message. Of two open transactions with the same key the second waits '
    'for the first, as with any unique key. Null: never a duplicate.';
COMMENT ON COLUMN push.message.on_doubt IS
    'What happens if the post may have been sent and got no answer: hold (a person decides) or resend. Null: as the '
    'hub says.';
COMMENT ON COLUMN push.message.pack IS 'Whether the message may share a post with other tags.';
COMMENT ON COLUMN push.message.campaign IS
    'For people and reports; push.cancel_campaign stops a whole campaign. Null: none.';
COMMENT ON COLUMN push.message.run IS 'For people and reports: one run of the campaign. Null: none.';
COMMENT ON COLUMN push.message.tenant IS
    'For people and reports, and for whom a key holds where the hub keeps keys per tenant (push.hub.keys_per_tenant). '
    'Null: none.';
COMMENT ON COLUMN push.message.traceparent IS
    'W3C trace context of the request that enqueued the message: in the log lines about its posts, and sent as a '
    'header when all messages of a post have the same. Null: none.';
COMMENT ON COLUMN push.message.meta IS 'For the backend''s own use, at most 8 KB of JSON; never sent. Null: none.';
COMMENT ON COLUMN push.message.after IS
    'An earlier message of the same login: this one is not sent before that one has its final result, whatever that is. '
    'Null: it waits for no message.';
COMMENT ON COLUMN push.message.after_device IS
    'A device of the hub: the message is not sent before the changes of it that were asked for before, in the same '
    'transaction too, are applied or have ended. Null: it waits for no device.';
COMMENT ON COLUMN push.message.after_at_most IS
    'How long it waits for that at most, from send_at on; then it is sent anyway, with a note in push.result. Above 0, at '
    'most a day. Null: a minute, if it waits.';
COMMENT ON COLUMN push.message.created_at IS 'When the enqueuing transaction began; not writable.';
COMMENT ON COLUMN push.message.enqueued_by IS
    'The login that enqueued it; the functions that enqueue write the role of SET ROLE, if there is one. Not writable.';
COMMENT ON COLUMN push.message.stream IS
    'The part of a campaign''s run that made it (push.stream.id); content is then what is this recipient''s own. Not '
    'writable by backends. Null: it belongs to no run.';
COMMENT ON COLUMN push.message.recipient IS
    'The key of the recipient in the audience of its run. Erased with the texts. Not writable by backends. Null: it '
    'belongs to no run, or is erased.';

-- ## What is pending: pointers in push.due, and translations that are sent together.

CREATE TABLE push.due (           -- columns by width, without padding: 26 bytes of data, 56-byte rows
    due_at   timestamptz NOT NULL,
    id       bigint NOT NULL,
    hub      int NOT NULL,
    priority smallint NOT NULL,
    attempt  smallint NOT NULL DEFAULT 0,
    kind     "char" NOT NULL DEFAULT 'p',
    resent   boolean NOT NULL DEFAULT false
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0,
        autovacuum_vacuum_insert_scale_factor = 0.2);
CREATE INDEX due_in_order ON push.due (hub, priority, due_at, id);
CREATE INDEX due_keyed ON push.due (hub, priority, due_at, id) WHERE kind = 'k';
COMMENT ON TABLE push.due IS
    'Pointers to pending messages: due now, scheduled, or waiting for another try. Rows are inserted and deleted, '
    'never updated. Do not add an index: the claim deletes here thousands of times a second.';
COMMENT ON COLUMN push.due.due_at IS
    'When the message is due, as push.due_at_of(id): due_at of its newest retrying result, else that of push.content, '
    'else its send_at, or the end of its wait (push.waiting).';
COMMENT ON COLUMN push.due.id IS 'The message, or the first of several translations that are sent together.';
COMMENT ON COLUMN push.due.hub IS 'The hub: push.hub.id.';
COMMENT ON COLUMN push.due.priority IS '0 urgent, 1 normal, 2 bulk; each is claimed on its own.';
COMMENT ON COLUMN push.due.attempt IS 'Attempts already made; from 0 again when a person sent the message again.';
COMMENT ON COLUMN push.due.kind IS
    'p: plain, one message. t: stands for all rows of push.translation with this lead. k: keyed, stands for all '
    'rows of push.content with this lead that have no result yet; push_worker.gather_v1 replaces it with p or t '
    'when it is due.';
COMMENT ON COLUMN push.due.resent IS
    'True: a person sent the message again, so its expires_at counts from then (push_internal.expiry_when_resent).';
COMMENT ON INDEX push.due_in_order IS
    'The order of the claim. Each lane, a hub in one priority class, is one range of it.';
COMMENT ON INDEX push.due_keyed IS 'Pointers that push_worker.gather_v1 looks for. Costs only rows with a content_key.';

CREATE TABLE push.translation (
    id   bigint PRIMARY KEY,
    lead bigint NOT NULL
);
CREATE INDEX translation_by_lead ON push.translation (lead);
COMMENT ON TABLE push.translation IS
    'Messages that are translations of one content. The lead''s pointer in push.due stands for all of them.';
COMMENT ON COLUMN push.translation.id IS 'A message of the content, the lead included.';
COMMENT ON COLUMN push.translation.lead IS 'The message whose pointer stands for the content.';
COMMENT ON INDEX push.translation_by_lead IS 'The translations of a lead.';

CREATE TABLE push.waiting (
    id       bigint PRIMARY KEY,
    hub      int NOT NULL,
    priority smallint NOT NULL,
    due_at   timestamptz NOT NULL,
    after    bigint,
    device   text COLLATE "C",
    change   bigint,
    since    timestamptz NOT NULL,
    until    timestamptz NOT NULL,
    look_at  timestamptz NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
        autovacuum_vacuum_cost_delay = 0);
CREATE INDEX waiting_in_order ON push.waiting (hub, priority, look_at, id);
CREATE INDEX waiting_for_device ON push.waiting (hub, device) WHERE device IS NOT NULL;
COMMENT ON TABLE push.waiting IS
    'Messages that wait for another one, or for the changes of a device. Their pointers lie in push.due at the end of the '
    'wait, and push_internal.end_waits brings them forward: a row that is lost or wrong costs time, and no message.';
COMMENT ON COLUMN push.waiting.id IS 'The message, or the first of several translations: push.due.id.';
COMMENT ON COLUMN push.waiting.hub IS 'The hub: push.hub.id.';
COMMENT ON COLUMN push.waiting.priority IS 'As push.due.priority.';
COMMENT ON COLUMN push.waiting.due_at IS 'Where its pointer lies: push.due.due_at.';
COMMENT ON COLUMN push.waiting.after IS 'The message that it waits for; null: it waits for a device.';
COMMENT ON COLUMN push.waiting.device IS 'The device of the hub that it waits for; null: it waits for a message.';
COMMENT ON COLUMN push.waiting.change IS
    'The newest change of that device when the message was enqueued: it and older ones count. Null: it waits for a message.';
COMMENT ON COLUMN push.waiting.since IS 'When the wait begins: send_at, or when the message was enqueued.';
COMMENT ON COLUMN push.waiting.until IS 'When it ends at the latest; no later than the message expires.';
COMMENT ON COLUMN push.waiting.look_at IS
    'When a worker looks next. What is applied at a device sets it to that moment.';
COMMENT ON INDEX push.waiting_in_order IS 'For the claim: whose next look has come.';
COMMENT ON INDEX push.waiting_for_device IS 'For push_worker.complete_devices_v1: who waits for a device.';

-- ## Who holds what: workers, what they report about hubs, and their claims.

CREATE TABLE push.worker (
    id            int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    epoch         int NOT NULL DEFAULT floor(random() * 2147483647)::int,
    name          text NOT NULL,
    version       text NOT NULL,
    started_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    lease_seconds real NOT NULL DEFAULT 15,
    beats         bigint NOT NULL DEFAULT 0,
    beat_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    doing         text,
    trouble       text,
    asleep        boolean NOT NULL DEFAULT false,
    timeline      text NOT NULL,
    lowest_claim  bigint NOT NULL
) WITH (fillfactor = 10);
COMMENT ON TABLE push.worker IS
    'Workers that are alive, and dead ones until they are rescued. Other workers judge by beats, not by clocks.';
COMMENT ON COLUMN push.worker.id IS 'Number of the worker, ascending; a worker that registers again gets a new one.';
COMMENT ON COLUMN push.worker.epoch IS
    'Random. After a fail-over that lost rows, a number can be given out twice; number and epoch name one worker.';
COMMENT ON COLUMN push.worker.name IS 'Host and process id: host/pid.';
COMMENT ON COLUMN push.worker.version IS 'Version of fanfare.';
COMMENT ON COLUMN push.worker.started_at IS 'When the worker registered.';
COMMENT ON COLUMN push.worker.lease_seconds IS
    'The worker''s lease (worker.leaseSeconds): it is dead when it did not beat for this long, and looks dead to '
    'people after two leases (push.is_alive).';
COMMENT ON COLUMN push.worker.beats IS
    'Counts up with every heartbeat, by default every 3 s, while the worker makes progress. Unchanged for one lease: '
    'the worker is dead.';
COMMENT ON COLUMN push.worker.beat_at IS 'When beats last changed, for people.';
COMMENT ON COLUMN push.worker.doing IS 'What the worker is doing, in one line for people; null: no heartbeat yet.';
COMMENT ON COLUMN push.worker.trouble IS
    'What keeps the worker from its work and for how long it has, such as a disk that is full; null: nothing.';
COMMENT ON COLUMN push.worker.asleep IS
    'True: the worker looks for messages only a few times a second and listens for push.wake_up().';
COMMENT ON COLUMN push.worker.timeline IS
    'push.timeline when the worker registered. When that has changed, the worker must register anew.';
COMMENT ON COLUMN push.worker.lowest_claim IS
    'No claim of the worker has a lower id. Heartbeats move it on, so that nobody looks through claims that ended long '
    'ago.';

CREATE TABLE push.serving (
    worker           int REFERENCES push.worker ON DELETE CASCADE,
    hub              int REFERENCES push.hub ON DELETE CASCADE,
    key              text NOT NULL,
    has_secondary    boolean NOT NULL,
    token_expires_at timestamptz,
    signings         int NOT NULL,
    "window"         int NOT NULL,
    in_flight        int NOT NULL,
    rate             real NOT NULL,
    skew_seconds     real,
    settings_hash    text,
    trouble          text,
    milliseconds_p50 real,
    milliseconds_p95 real,
    milliseconds_p99 real,
    at               timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (worker, hub)
) WITH (fillfactor = 20);
COMMENT ON TABLE push.serving IS
    'What each worker reports about each hub it serves, with every heartbeat. Deleted with the worker.';
COMMENT ON COLUMN push.serving.worker IS 'The worker: push.worker.id.';
COMMENT ON COLUMN push.serving.hub IS 'The hub: push.hub.id.';
COMMENT ON COLUMN push.serving.key IS 'The key the worker signs with: primary or secondary.';
COMMENT ON COLUMN push.serving.has_secondary IS
    'Whether the worker has a secondary key, and so can follow push.rotate_hub.';
COMMENT ON COLUMN push.serving.token_expires_at IS
    'When the worker''s token expires, by the worker''s clock; it signs a new one before that. Null: it has none, '
    'because nothing was sent.';
COMMENT ON COLUMN push.serving.signings IS 'Tokens the worker has signed since it started.';
COMMENT ON COLUMN push.serving."window" IS
    'Posts the worker may have in flight now. Grows with answers up to the hub''s window; starts again at 1 when '
    'nothing gets through.';
COMMENT ON COLUMN push.serving.in_flight IS 'Posts the worker has in flight.';
COMMENT ON COLUMN push.serving.rate IS 'Answers per second of late; 0 after some seconds without any.';
COMMENT ON COLUMN push.serving.skew_seconds IS
    'Seconds the worker''s clock is ahead of the hub''s (negative: behind), accurate to a second, checked once a '
    'minute. Null: no answer had a date.';
COMMENT ON COLUMN push.serving.settings_hash IS
    'push.hub.settings_hash of the settings that the worker works with. Null: not reported.';
COMMENT ON COLUMN push.serving.trouble IS
    'Why the worker has no pass for the hub (an access token that it fetches) and posts nothing there, once that has '
    'lasted for 5 s. Null: it has one.';
COMMENT ON COLUMN push.serving.milliseconds_p50 IS
    'Milliseconds in which the hub gave half of its answers of the last minute, at most an eighth too much. Null: it gave none, or '
    'the worker is of a build that does not measure this.';
COMMENT ON COLUMN push.serving.milliseconds_p95 IS 'The same for 95 of 100 answers.';
COMMENT ON COLUMN push.serving.milliseconds_p99 IS 'The same for 99 of 100 answers.';
COMMENT ON COLUMN push.serving.at IS 'When the worker reported this.';

CREATE SEQUENCE push.claim_id;
COMMENT ON SEQUENCE push.claim_id IS
    'Ids of claims. Never set it back: an id used twice would let a dead worker post again.';

CREATE TABLE push.claim (
    id         bigint PRIMARY KEY,
    worker     int NOT NULL,
    epoch      int NOT NULL,
    hub        int NOT NULL,
    priority   smallint NOT NULL,
    claimed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    ids        bigint[] NOT NULL,
    attempts   smallint[] NOT NULL,
    resent     bigint[] NOT NULL DEFAULT '{}',
    cancelled  bigint[] NOT NULL DEFAULT '{}',
    trouble    text
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0);
ALTER TABLE push.claim
    ALTER ids SET STORAGE EXTERNAL,
    ALTER attempts SET STORAGE EXTERNAL;
COMMENT ON TABLE push.claim IS
    'Which worker holds which messages now: one row per batch, deleted when the batch is finished.';
COMMENT ON COLUMN push.claim.id IS
    'From push.claim_id, never used twice. It is the fence: a worker that posts or records must find it here.';
COMMENT ON COLUMN push.claim.worker IS 'The worker: push.worker.id.';
COMMENT ON COLUMN push.claim.epoch IS
    'push.worker.epoch. Intent and completion of any other worker and epoch do not touch the claim.';
COMMENT ON COLUMN push.claim.hub IS 'The hub: push.hub.id.';
COMMENT ON COLUMN push.claim.priority IS '0 urgent, 1 normal, 2 bulk.';
COMMENT ON COLUMN push.claim.claimed_at IS 'When the worker took the batch.';
COMMENT ON COLUMN push.claim.ids IS
    'The messages. Never shrunk: a message has left the claim when it has a result whose post belongs to this claim.';
COMMENT ON COLUMN push.claim.attempts IS 'Attempts already made by each message of ids, as in push.due.attempt.';
COMMENT ON COLUMN push.claim.resent IS 'Messages of ids that a person sent again: push.due.resent.';
COMMENT ON COLUMN push.claim.cancelled IS 'Messages of ids that must not be posted any more; written by push.cancel.';
COMMENT ON COLUMN push.claim.trouble IS
    'Why rescue could not take the claim; null: it could, or was never needed. Written once, with an entry in '
    'push.audit.';

CREATE TABLE push.drain (
    name          text PRIMARY KEY,
    holder        bigint NOT NULL,
    started_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    beat_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    lease_seconds real NOT NULL
);
COMMENT ON TABLE push.drain IS
    'Drains that run under a name: only one of each name may run (fanfare drain --lock). Not a lock of the database: '
    'that would be a transaction as long as the drain, and an advisory lock can be taken by any login.';
COMMENT ON COLUMN push.drain.name IS 'Name of the drain: drain, unless --lock says otherwise.';
COMMENT ON COLUMN push.drain.holder IS 'Random number of the process that drains.';
COMMENT ON COLUMN push.drain.started_at IS 'When it began.';
COMMENT ON COLUMN push.drain.beat_at IS 'When it last reported that it is running.';
COMMENT ON COLUMN push.drain.lease_seconds IS 'After this time without a beat the name is free.';

-- ## What was sent and what became of it: posts, answers, results, counters, and what people did.

CREATE TABLE push.post (
    id     bigint PRIMARY KEY,
    at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    bytes  int NOT NULL,
    hub    int NOT NULL,
    target text,
    ids    bigint[] NOT NULL
) PARTITION BY RANGE (id);
COMMENT ON TABLE push.post IS
    'Posts about to be sent: written and committed before the first byte leaves. Append-only.';
COMMENT ON COLUMN push.post.id IS
    'push_internal.post_id(claim, n), n from 1: the primary key also finds the posts of a claim.';
COMMENT ON COLUMN push.post.at IS 'When the row was written, just before the post was sent.';
COMMENT ON COLUMN push.post.bytes IS 'Size of the request body in bytes.';
COMMENT ON COLUMN push.post.hub IS 'The hub: push.hub.id.';
COMMENT ON COLUMN push.post.target IS 'The tag expression that was sent, or how many handles; null: a broadcast.';
COMMENT ON COLUMN push.post.ids IS 'The messages it carries.';

CREATE TABLE push.answer (
    post            bigint PRIMARY KEY,
    at              timestamptz NOT NULL DEFAULT clock_timestamp(),
    milliseconds    int NOT NULL,
    verdict         push.verdict NOT NULL,
    http            smallint,
    tracking_id     text,
    notification_id text,
    error           text
) PARTITION BY RANGE (post);
COMMENT ON TABLE push.answer IS
    'What came back for a post. Append-only. One kind of answer stands elsewhere, because it is nearly all of them: '
    'that of a message that was accepted alone in its post stands in its push.result. push.answers shows both.';
COMMENT ON COLUMN push.answer.post IS 'The post: push.post.id.';
COMMENT ON COLUMN push.answer.at IS 'When the row was written.';
COMMENT ON COLUMN push.answer.milliseconds IS
    'Milliseconds from the hand-over to the transport to the end of the answer.';
COMMENT ON COLUMN push.answer.verdict IS 'What the answer means.';
COMMENT ON COLUMN push.answer.http IS 'HTTP status; null: no answer came.';
COMMENT ON COLUMN push.answer.tracking_id IS
    'The hub''s id of the request, which its support asks for; null: the answer had none.';
COMMENT ON COLUMN push.answer.notification_id IS
    'The hub''s id of the notification, which only the Standard tier gives; null: the answer had none.';
COMMENT ON COLUMN push.answer.error IS 'What the hub or the network said, in one line; null: no error.';

CREATE SEQUENCE push.arrival;
COMMENT ON SEQUENCE push.arrival IS
    'The order of results. A clock that is set back, or that of a promoted server, must not change which result of a '
    'message is the newest.';

CREATE OR REPLACE FUNCTION push_internal.arrival_lock() RETURNS int
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN 1886745193;
COMMENT ON FUNCTION push_internal.arrival_lock IS
    'First number of the advisory locks of push_internal.next_arrival, unless somebody else holds that: "puri" in ASCII.';

CREATE TABLE push.ended_listener (
    since timestamptz NOT NULL
);
COMMENT ON TABLE push.ended_listener IS
    'Whether somebody waits for NOTIFY push_ended: a row, or one for each of those who asked in open transactions. The '
    'next result notifies, and deletes them. Every transaction that writes results locks this table, by which readers '
    'recognise it.';
COMMENT ON COLUMN push.ended_listener.since IS 'When push.ended_since was called with listen.';

-- A reader in the order of arrival must not pass a number whose transaction is still open. So each transaction that
-- takes numbers first says, by a lock that everybody can see in pg_locks, from which one on: push.ended_since. Advisory
-- locks are for everybody, so one alone says nothing: its transaction must have locked push.ended_listener, too, which
-- which takes USAGE on schema push. A session that holds only the usual key blocks nobody: any other first number
-- works as well. Tests/ChaosTests/Arrival tries every order of these steps.
CREATE OR REPLACE FUNCTION push_internal.next_arrival() RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    key int := push_internal.arrival_lock();
BEGIN
    IF coalesce(current_setting('push.arriving', true), '') = '' THEN
        PERFORM FROM push.ended_listener l LIMIT 1 FOR UPDATE SKIP LOCKED;
        IF FOUND THEN
            DELETE FROM push.ended_listener l
             WHERE l.ctid = ANY (ARRAY(SELECT w.ctid FROM push.ended_listener w FOR UPDATE SKIP LOCKED));
            PERFORM pg_notify('push_ended', '');
        END IF;
        WHILE NOT (SELECT pg_try_advisory_xact_lock_shared(
                              key, CASE WHEN s.is_called THEN (s.last_value & 2147483647)::int ELSE 0 END)
                     FROM push.arrival s) LOOP
            key := (random() * 2147483646)::int;
        END LOOP;
        PERFORM set_config('push.arriving', 'on', true);
    END IF;
    RETURN nextval('push.arrival');
END $$;
COMMENT ON FUNCTION push_internal.next_arrival IS
    'The next number for results, and once in a transaction NOTIFY push_ended if somebody listens.';

CREATE TABLE push.result (
    id              bigint NOT NULL,
    post            bigint,
    arrival         bigint NOT NULL DEFAULT push_internal.next_arrival(),
    at              timestamptz NOT NULL DEFAULT clock_timestamp(),
    due_at          timestamptz,
    status          push.status NOT NULL,
    reason          push.reason NOT NULL,
    milliseconds    int,                       -- and the next three: the answer, if the message was accepted alone
    http            smallint,
    tracking_id     text,
    notification_id text,
    note            text
) PARTITION BY RANGE (id);
CREATE INDEX result_of_message ON push.result (id);
CREATE INDEX result_in_doubt ON push.result (id) WHERE status = 'in_doubt';
CREATE INDEX result_failed ON push.result (at, id) WHERE status IN ('rejected', 'expired');
CREATE INDEX result_arrivals ON push.result USING brin (arrival) WITH (pages_per_range = 32, autosummarize = on);
CREATE INDEX result_gone ON push.result (arrival) WHERE reason = 'target_gone';
COMMENT ON TABLE push.result IS
    'What became of each message. Append-only; of a message''s rows the one with the highest arrival counts.';
COMMENT ON COLUMN push.result.id IS 'The message: push.message.id.';
COMMENT ON COLUMN push.result.post IS
    'The post that decided it, or push_internal.no_post of a claim that the message left without a post. Null: '
    'decided outside a claim.';
COMMENT ON COLUMN push.result.arrival IS
    'From push.arrival. A statement that writes results of many messages gives all of them one number.';
COMMENT ON COLUMN push.result.at IS
    'When the row was written, by the database''s clock. For people: no decision depends on it.';
COMMENT ON COLUMN push.result.due_at IS 'When a retrying message is tried again; null: the status is final.';
COMMENT ON COLUMN push.result.status IS 'retrying, or a final status.';
COMMENT ON COLUMN push.result.reason IS 'Why; push.reason_class(reason) names who must act.';
COMMENT ON COLUMN push.result.milliseconds IS
    'As push.answer.milliseconds, and the next three columns likewise. Null: the answer is in push.answer.';
COMMENT ON COLUMN push.result.http IS 'HTTP status of the answer.';
COMMENT ON COLUMN push.result.tracking_id IS 'The hub''s id of the request; null: the answer had none.';
COMMENT ON COLUMN push.result.notification_id IS 'The hub''s id of the notification; null: the answer had none.';
COMMENT ON COLUMN push.result.note IS 'For people: what was wrong and what to do; null: nothing to say.';
COMMENT ON INDEX push.result_of_message IS 'The results of one message.';
COMMENT ON INDEX push.result_in_doubt IS 'For push.in_doubt: few rows among millions, looked for often.';
COMMENT ON INDEX push.result_arrivals IS
    'For push.ended_since: results in the order of their arrival. Autovacuum writes its summaries, and pages without '
    'one are read.';
COMMENT ON INDEX push.result_gone IS
    'For push.gone_targets_after and push.gone_targets: few rows among millions, in the order of their arrival.';
COMMENT ON INDEX push.result_failed IS
    'Failures by time, for push.recent_failures and push.retry_failed: few rows among millions, and accepted results '
    'cost nothing.';

CREATE TABLE push.tally (
    hub    int NOT NULL,
    minute timestamptz NOT NULL,
    status push.status NOT NULL,
    reason push.reason NOT NULL,
    n      bigint NOT NULL,
    PRIMARY KEY (hub, minute, status, reason)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
COMMENT ON TABLE push.tally IS 'Results per hub and minute, so that counting never scans results.';
COMMENT ON COLUMN push.tally.hub IS 'The hub: push.hub.id.';
COMMENT ON COLUMN push.tally.minute IS
    'Start of the minute. Rows of a backend (duplicate, late_translation, cancelled, sent again) or of a rescue have their exact '
    'time instead, so that none of these waits for another; push_worker.forget_keys_v1() adds them to their minute.';
COMMENT ON COLUMN push.tally.status IS 'Status of the results: retrying, or a final one.';
COMMENT ON COLUMN push.tally.reason IS 'Reason of the results, as in push.result.';
COMMENT ON COLUMN push.tally.n IS 'Results written in that minute.';

CREATE TABLE push.audit (
    id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    who    text NOT NULL DEFAULT session_user,
    person text NOT NULL DEFAULT push.person(),
    action text NOT NULL,
    detail json NOT NULL DEFAULT '{}'
);
CREATE INDEX audit_in_time ON push.audit (at);
CREATE INDEX audit_of_person ON push.audit (person, id);
CREATE INDEX audit_of_action ON push.audit (action, id);
COMMENT ON INDEX push.audit_in_time IS
    'What was done since or until a time; for push.story_of, who cancelled or erased a message.';
COMMENT ON INDEX push.audit_of_person IS 'What one person did, the newest first.';
COMMENT ON INDEX push.audit_of_action IS 'Who called one function, the newest first.';
COMMENT ON TABLE push.audit IS
    'What people did: each call of a function that acts adds a row, in the same transaction.';
COMMENT ON COLUMN push.audit.id IS 'Number of the entry, ascending.';
COMMENT ON COLUMN push.audit.at IS 'When the function was called.';
COMMENT ON COLUMN push.audit.who IS 'The database role that was logged in.';
COMMENT ON COLUMN push.audit.person IS
    'Who acted (push.person): the person whom a console named, else the role that was set, else as who.';
COMMENT ON COLUMN push.audit.action IS 'The function that was called, such as cancel.';
COMMENT ON COLUMN push.audit.detail IS 'The arguments, and how many messages the call changed.';

-- ## A server that was replaced: its timeline, and numbers that are never used twice.

-- A promoted server may lack what the old one had confirmed, also the last numbers of the sequences. It gives such numbers
-- to other rows, and a worker that still knows the old ones would settle messages that are not its own.
-- Every promotion begins a new timeline, so a new timeline moves all numbers on, and all workers begin anew.
CREATE TABLE push.timeline (
    timeline text NOT NULL,
    system   bigint NOT NULL,
    since    timestamptz NOT NULL DEFAULT now(),
    moved    bigint NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX timeline_is_one_row ON push.timeline ((true));
COMMENT ON TABLE push.timeline IS
    'The timeline of the server that the numbers of push.message, push.claim, push.result and push.worker belong to. '
    'One row.';
COMMENT ON COLUMN push.timeline.timeline IS 'As PostgreSQL writes it in names of WAL files: eight hexadecimal digits.';
COMMENT ON COLUMN push.timeline.system IS
    'system_identifier of the server (pg_control_system): a standby has that of its primary, a subscriber of logical replication '
    'and a server to which a dump was restored have their own.';
COMMENT ON COLUMN push.timeline.since IS 'When fanfare first saw this timeline.';
COMMENT ON COLUMN push.timeline.moved IS 'How many times the numbers were moved on.';
COMMENT ON INDEX push.timeline_is_one_row IS 'Refuses a second row.';

-- ## Messages with a content_key or a dedupe_key, and what was done with each key.

-- push.content has no unique key over the content, so that backends never wait for each other: INSERT ... ON CONFLICT
-- waits for uncommitted rows, and two backends that insert the same translations in opposite order would deadlock.
-- Workers decide in short transactions which statement takes a content (push.content_taken).
CREATE TABLE push.content (
    id          bigint PRIMARY KEY,
    lead        bigint NOT NULL,
    due_at      timestamptz NOT NULL,
    at          timestamptz NOT NULL DEFAULT now(),
    hub         int NOT NULL,
    priority    smallint NOT NULL,
    tenant      text COLLATE "C" NOT NULL DEFAULT '',
    tag         text COLLATE "C" NOT NULL,
    content_key text COLLATE "C" NOT NULL,
    locale      text COLLATE "C" NOT NULL
);
CREATE INDEX content_by_key ON push.content (hub, tag, content_key, priority, tenant, id);
CREATE INDEX content_by_lead ON push.content (lead, id);
COMMENT ON TABLE push.content IS
    'Messages with a content_key, one row each, written only by the enqueuing backend. Rows with the same hub, tag, '
    'key, priority and tenant are translations of one content. push_worker.forget_keys_v1() deletes old ones.';
COMMENT ON COLUMN push.content.id IS 'The message: push.message.id.';
COMMENT ON COLUMN push.content.lead IS
    'The first message of the statement with the same key. Its pointer in push.due stands for these rows until they '
    'are gathered.';
COMMENT ON COLUMN push.content.due_at IS
    'When that pointer is due: at the earliest send_at, but not before the hub''s settle time is over, unless every '
    'language was there.';
COMMENT ON COLUMN push.content.at IS 'When the enqueuing transaction began.';
COMMENT ON COLUMN push.content.hub IS 'The hub: push.hub.id.';
COMMENT ON COLUMN push.content.priority IS '0 urgent, 1 normal, 2 bulk.';
COMMENT ON COLUMN push.content.tenant IS 'For whom the key holds: push_internal.key_tenant.';
COMMENT ON COLUMN push.content.tag IS 'push.message.tag; empty: a broadcast or handles.';
COMMENT ON COLUMN push.content.content_key IS 'push.message.content_key.';
COMMENT ON COLUMN push.content.locale IS 'push.message.locale; empty: the row without a language.';
COMMENT ON INDEX push.content_by_key IS 'The translations of a content.';
COMMENT ON INDEX push.content_by_lead IS 'The rows that a keyed pointer stands for.';

CREATE TABLE push.content_taken (
    hub         int NOT NULL,
    priority    smallint NOT NULL,
    tenant      text COLLATE "C" NOT NULL DEFAULT '',
    tag         text COLLATE "C" NOT NULL,
    content_key text COLLATE "C" NOT NULL,
    lead        bigint NOT NULL,
    ids         bigint[] NOT NULL,
    at          timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (hub, tag, content_key, priority, tenant)
) WITH (fillfactor = 90);
COMMENT ON TABLE push.content_taken IS
    'Contents whose key was used: a translation that comes later is late. Written only by workers '
    '(push_worker.gather_v1).';
COMMENT ON COLUMN push.content_taken.hub IS 'The hub: push.hub.id.';
COMMENT ON COLUMN push.content_taken.priority IS 'Priority of the content, as in push.content.';
COMMENT ON COLUMN push.content_taken.tenant IS 'For whom the key holds, as in push.content.';
COMMENT ON COLUMN push.content_taken.tag IS 'Target of the content, as in push.content.';
COMMENT ON COLUMN push.content_taken.content_key IS 'The key that was used, as in push.content.';
COMMENT ON COLUMN push.content_taken.lead IS 'The message whose pointer was due first.';
COMMENT ON COLUMN push.content_taken.ids IS 'The messages that were there when the content was taken.';
COMMENT ON COLUMN push.content_taken.at IS
    'When the content was taken. The key is free again after the hub''s keep_content, once all messages of ids are '
    'final.';

CREATE TABLE push.dedupe (
    id     bigint NOT NULL,
    at     timestamptz NOT NULL DEFAULT now(),
    hub    int NOT NULL,
    tenant text COLLATE "C" NOT NULL DEFAULT '',
    key    text COLLATE "C" NOT NULL,
    PRIMARY KEY (hub, key, tenant)
);
CREATE INDEX dedupe_by_time ON push.dedupe (at);
COMMENT ON TABLE push.dedupe IS
    'Which message first used a dedupe_key. Written by the enqueuing backend: of two open transactions with the same '
    'key the second waits for the first, as with any unique key.';
COMMENT ON COLUMN push.dedupe.id IS 'The first message with this key; of several translations the first.';
COMMENT ON COLUMN push.dedupe.at IS
    'When the enqueuing transaction began. The key is forgotten after the hub''s keep_dedupe.';
COMMENT ON COLUMN push.dedupe.hub IS 'The hub: push.hub.id.';
COMMENT ON COLUMN push.dedupe.tenant IS 'For whom the key holds: push_internal.key_tenant.';
COMMENT ON COLUMN push.dedupe.key IS 'push.message.dedupe_key.';
COMMENT ON INDEX push.dedupe_by_time IS 'Old keys, for push_worker.forget_keys_v1().';

-- ## Partitions of the large tables, made ahead of need and closed after a while.

CREATE TABLE push.partitioned (
    parent      text PRIMARY KEY,
    follows     text,
    key         text NOT NULL,
    at          text NOT NULL,
    span        bigint NOT NULL,
    sequence    text NOT NULL,
    per_number  bigint NOT NULL,
    ahead       int NOT NULL DEFAULT 3,
    storage     text NOT NULL DEFAULT '',
    close_after interval,
    in_use      bigint,
    since       timestamptz
);
COMMENT ON TABLE push.partitioned IS
    'The partitioned tables. Partition n of a table, push.<parent>_<n>, has the keys from n × span on.';
COMMENT ON COLUMN push.partitioned.parent IS 'The table.';
COMMENT ON COLUMN push.partitioned.follows IS
    'The table whose rows these rows belong to: a partition is dropped only after that of the same number there. Null: '
    'rows of their own.';
COMMENT ON COLUMN push.partitioned.key IS 'The column that says in which partition a row is.';
COMMENT ON COLUMN push.partitioned.at IS 'The column that says when a row was written.';
COMMENT ON COLUMN push.partitioned.span IS 'Keys in a partition. Never change it: names of partitions depend on it.';
COMMENT ON COLUMN push.partitioned.sequence IS 'Where the keys come from.';
COMMENT ON COLUMN push.partitioned.per_number IS
    'Keys for each number of the sequence: one for a message, and as many for a claim as push_internal.no_post '
    'leaves room for.';
COMMENT ON COLUMN push.partitioned.ahead IS 'How many partitions behind the one in use are kept ready.';
COMMENT ON COLUMN push.partitioned.storage IS 'WITH clause of new partitions; empty: none.';
COMMENT ON COLUMN push.partitioned.close_after IS
    'Where push.purge is used, the partition in use is closed after this time, or after a quarter of the time that '
    'things are kept if that is longer. Null: never, or with the table that it follows.';
COMMENT ON COLUMN push.partitioned.in_use IS 'Number of the partition in use when push.make_partitions last looked.';
COMMENT ON COLUMN push.partitioned.since IS 'Since when that one is in use; null: nothing was written yet.';

-- toast_tuple_target: a message of up to 8 kB stays in its row, so that a claim reads one page and no TOAST table.
INSERT INTO push.partitioned (parent, follows, key, at, span, sequence, per_number, storage, close_after) VALUES
    ('message', NULL, 'id', 'created_at', 4000000, pg_get_serial_sequence('push.message', 'id'), 1,
     'WITH (toast_tuple_target = 8160)', '7 days'),
    ('result', 'message', 'id', 'at', 4000000, pg_get_serial_sequence('push.message', 'id'), 1, '', NULL),
    ('post', NULL, 'id', 'at', 1000000000, 'push.claim_id', 10000, '', '7 days'),
    ('answer', 'post', 'post', 'at', 1000000000, 'push.claim_id', 10000, '', NULL);

CREATE TABLE push.retention (
    keep          interval,
    purged_at     timestamptz,
    pass_began    timestamptz,
    parent        text REFERENCES push.partitioned,
    mark          bigint NOT NULL DEFAULT 0,
    waiting_since timestamptz,
    remember_days int NOT NULL DEFAULT 30
                  CONSTRAINT remember_days_are_1_to_366 CHECK (remember_days BETWEEN 1 AND 366)
);
CREATE UNIQUE INDEX retention_is_one_row ON push.retention ((true));
INSERT INTO push.retention DEFAULT VALUES;
COMMENT ON TABLE push.retention IS
    'How far push.purge has come. A pass looks at everything that is old, first at messages and then at posts, in as '
    'many calls as it takes. One row.';
COMMENT ON COLUMN push.retention.keep IS 'older_than of the last call; null: it was never called.';
COMMENT ON COLUMN push.retention.purged_at IS 'When it was last called. Partitions close only where somebody purges.';
COMMENT ON COLUMN push.retention.pass_began IS 'When the present pass began.';
COMMENT ON COLUMN push.retention.parent IS 'The table that the pass is at; null: the last pass was finished.';
COMMENT ON COLUMN push.retention.mark IS 'Keys below it were looked at in this pass.';
COMMENT ON COLUMN push.retention.waiting_since IS
    'Enqueued then or later: messages of partitions that wait to be dropped whole. Their posts wait as well.';
COMMENT ON INDEX push.retention_is_one_row IS 'Refuses a second row.';

CREATE TABLE push.message_default PARTITION OF push.message DEFAULT WITH (toast_tuple_target = 8160);

CREATE TABLE push.result_default PARTITION OF push.result DEFAULT;

CREATE TABLE push.post_default PARTITION OF push.post DEFAULT;

CREATE TABLE push.answer_default PARTITION OF push.answer DEFAULT;
COMMENT ON TABLE push.message_default IS
    'Catches ids for which no partition was made. Rows here are an alarm: SELECT push.empty_default_partitions().';
COMMENT ON TABLE push.result_default IS
    'Catches ids for which no partition was made. Rows here are an alarm: SELECT push.empty_default_partitions().';
COMMENT ON TABLE push.post_default IS
    'Catches ids for which no partition was made. Rows here are an alarm: SELECT push.empty_default_partitions().';
COMMENT ON TABLE push.answer_default IS
    'Catches ids for which no partition was made. Rows here are an alarm: SELECT push.empty_default_partitions().';

-- ## What a broken rule says.

CREATE TYPE push.problem AS (
    col     text,
    rule    text,
    message text,
    hint    text
);
COMMENT ON TYPE push.problem IS 'Why a row of push.message is refused.';
COMMENT ON COLUMN push.problem.col IS 'The column.';
COMMENT ON COLUMN push.problem.rule IS 'Name of the rule, for programs: the constraint name of the error.';
COMMENT ON COLUMN push.problem.message IS 'Column, value and limit.';
COMMENT ON COLUMN push.problem.hint IS 'How to fix it.';

-- ## The rules of native payloads and headers as data (functions/rules/payload_rules.sql).

-- The services behind the hub silently drop what they do not know, so a payload that would never be shown is refused at
-- the INSERT. The rules are written once, in Sources/PushModel/Payloads/*.json: PushModel compiles them in, and bin/generate
-- writes them into functions/rules/payload_rules.sql, which replaces these rows.
CREATE TABLE push.payload_format (
    name       text COLLATE "C" PRIMARY KEY,
    bytes      int,
    call_bytes int,
    headers    text[] NOT NULL,
    direct     boolean NOT NULL,
    objects    text[] NOT NULL
);
COMMENT ON TABLE push.payload_format IS
    'The formats of push.message. Written only by functions/rules/payload_rules.sql.';
COMMENT ON COLUMN push.payload_format.name IS 'push.message.format.';
COMMENT ON COLUMN push.payload_format.bytes IS 'Bytes of a payload at most; null: a template, limited as a request.';
COMMENT ON COLUMN push.payload_format.call_bytes IS
    'The same for a call, with apns-push-type voip; null: the format has no calls.';
COMMENT ON COLUMN push.payload_format.headers IS
    'Headers that a row may set; case does not count, and * stands for letters and hyphens.';
COMMENT ON COLUMN push.payload_format.direct IS 'True: a row may set them only together with handles.';
COMMENT ON COLUMN push.payload_format.objects IS 'Paths of the objects that have rules.';

CREATE TABLE push.payload_name (
    folded  text COLLATE "C" PRIMARY KEY,
    apple   text COLLATE "C" NOT NULL,
    android text COLLATE "C"
);
COMMENT ON TABLE push.payload_name IS
    'Keys that name a text of the app: each platform knows one spelling, and ignores the others in silence.';
COMMENT ON COLUMN push.payload_name.folded IS 'The key in lower case, without hyphens and underscores.';
COMMENT ON COLUMN push.payload_name.apple IS 'The key in aps.alert.';
COMMENT ON COLUMN push.payload_name.android IS 'The key in message.android.notification; null: Android has none.';

CREATE TABLE push.payload_rule (
    format text COLLATE "C" NOT NULL,
    at     text COLLATE "C" NOT NULL,
    n      int NOT NULL,
    member text COLLATE "C" NOT NULL,
    must   text COLLATE "C" NOT NULL,
    words  text[] NOT NULL,
    given  text[] NOT NULL,
    warns  boolean NOT NULL,
    wrong  text NOT NULL,
    hint   text NOT NULL,
    PRIMARY KEY (format, at, member, n)
);
COMMENT ON TABLE push.payload_rule IS
    'What a payload must look like. The first broken rule refuses the row. Written only by '
    'functions/rules/payload_rules.sql.';
COMMENT ON COLUMN push.payload_rule.format IS 'push.payload_format.name; header: the headers of every format.';
COMMENT ON COLUMN push.payload_rule.at IS 'Path of the object; empty: the whole payload.';
COMMENT ON COLUMN push.payload_rule.n IS 'Order of the rules.';
COMMENT ON COLUMN push.payload_rule.member IS 'Member that the rule is about; *: each; empty: the object itself.';
COMMENT ON COLUMN push.payload_rule.must IS 'What must hold for the value: push_internal.is_broken.';
COMMENT ON COLUMN push.payload_rule.words IS 'What the value is compared with; spelling: folded and right in pairs.';
COMMENT ON COLUMN push.payload_rule.given IS
    'A header and its value with which alone the rule holds; empty: always. In a payload for fcmv1 a header for APNs.';
COMMENT ON COLUMN push.payload_rule.warns IS 'True: the row is taken, with a WARNING.';
COMMENT ON COLUMN push.payload_rule.wrong IS
    'Follows the path of the value: what is wrong with it. {at}: path of the object; {above}: the object around it; '
    '{beside}: path of the missing member; {type}, {bytes}: of the value; {limit}, {format}, {headers}: of the format; '
    '{words}; {apple}, {android}: the right key; {meant}: paths with that name, or one like it.';
COMMENT ON COLUMN push.payload_rule.hint IS 'How to fix it, with the same placeholders.';

-- ## Where a call that stops many messages goes on.

CREATE TYPE push.cancel_mark AS (
    hub       int,
    priority  smallint,
    due_at    timestamptz,
    id        bigint,
    claim     bigint,
    cancelled boolean,
    too_late  bigint
);
COMMENT ON TYPE push.cancel_mark IS
    'Where a call that cancels many messages stopped: behind this pointer of push.due, or, if claim is not null, '
    'behind all pointers and behind this claim; whether this pass cancelled anything, and how many were too late.';

-- ## Partitions that push.purge keeps.

CREATE TABLE push.kept (
    what text PRIMARY KEY,
    n    bigint,
    note text NOT NULL
);
COMMENT ON TABLE push.kept IS 'What the last pass of push.purge kept although it is old.';
COMMENT ON COLUMN push.kept.what IS 'A partition, or a table of which some rows were kept.';
COMMENT ON COLUMN push.kept.n IS 'Rows; null: all of the partition.';
COMMENT ON COLUMN push.kept.note IS 'Why.';

-- ## Devices: what backends asked for, what is pending, who holds which device, what became of it.

CREATE TYPE push.device_action AS ENUM ('put', 'patch', 'drop');
COMMENT ON TYPE push.device_action IS
    'put: register a device or replace it. patch: change parts of it. drop: remove it.';

CREATE TYPE push.change_status AS ENUM ('applied', 'superseded', 'refused', 'retrying');
COMMENT ON TYPE push.change_status IS
    'applied: the hub took it. superseded: a later put or drop made it needless, so it was not sent. refused: final, '
    'the hub or a rule does not take it. retrying: it is tried again.';

-- Only backends write here, so they wait for each other and never for a worker. No foreign key: each new device would
-- lock the row of its hub, and hubs are never deleted.
CREATE TABLE push.device (
    hub     int NOT NULL,
    device  text COLLATE "C" NOT NULL,
    change  bigint NOT NULL,
    dropped boolean NOT NULL DEFAULT false,
    PRIMARY KEY (hub, device)
) WITH (fillfactor = 70);
COMMENT ON TABLE push.device IS
    'The devices that backends have named. A second transaction that changes a device waits here for the first, and '
    'then draws its number: so the ids of a device''s changes are in the order of their commits.';
COMMENT ON COLUMN push.device.hub IS 'The hub: push.hub.id.';
COMMENT ON COLUMN push.device.device IS 'The installation id at the hub.';
COMMENT ON COLUMN push.device.change IS 'Its newest change: push.installation_change.id.';
COMMENT ON COLUMN push.device.dropped IS
    'Whether its newest put or drop was a drop: then a patch is refused. Never put, such as a device that an app '
    'registered by itself: false.';

CREATE TABLE push.installation_change (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    hub        int NOT NULL,
    device     text COLLATE "C" NOT NULL,
    action     push.device_action NOT NULL,
    document   json NOT NULL,
    at         timestamptz NOT NULL DEFAULT clock_timestamp(),
    changed_by text NOT NULL DEFAULT push_internal.caller()
);
COMMENT ON TABLE push.installation_change IS
    'What backends asked for with push.put_device, push.patch_device and push.drop_device. Append-only.';
COMMENT ON COLUMN push.installation_change.id IS
    'What the call returned. Changes of one device are applied in the order of their ids.';
COMMENT ON COLUMN push.installation_change.hub IS 'The hub: push.hub.id.';
COMMENT ON COLUMN push.installation_change.device IS 'The installation id at the hub.';
COMMENT ON COLUMN push.installation_change.action IS 'put, patch or drop.';
COMMENT ON COLUMN push.installation_change.document IS
    'The arguments of the call that say what the device is, whatever kind the hub is; {} for a drop.';
COMMENT ON COLUMN push.installation_change.at IS 'When the call was made.';
COMMENT ON COLUMN push.installation_change.changed_by IS 'The role that made the call.';

CREATE TABLE push.installation_due (
    due_at  timestamptz NOT NULL,
    id      bigint NOT NULL,
    hub     int NOT NULL,
    attempt smallint NOT NULL DEFAULT 0,
    device  text COLLATE "C" NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0,
        autovacuum_vacuum_insert_scale_factor = 0.2);
CREATE INDEX installation_due_in_order ON push.installation_due (hub, due_at, id);
CREATE INDEX installation_due_of_device ON push.installation_due (hub, device, id);
COMMENT ON TABLE push.installation_due IS
    'Pointers to changes that have no final result. Rows are inserted and deleted, never updated. A claim leaves them '
    'here, so a worker that dies moves nothing.';
COMMENT ON COLUMN push.installation_due.due_at IS
    'When the device is looked at because of this change. A later change of the device may bring it on earlier.';
COMMENT ON COLUMN push.installation_due.id IS 'The change: push.installation_change.id.';
COMMENT ON COLUMN push.installation_due.hub IS 'The hub: push.hub.id.';
COMMENT ON COLUMN push.installation_due.attempt IS 'Attempts already made while changes of other devices succeeded.';
COMMENT ON COLUMN push.installation_due.device IS 'The device: push.device.device.';
COMMENT ON INDEX push.installation_due_in_order IS 'The order in which devices are claimed.';
COMMENT ON INDEX push.installation_due_of_device IS 'All that waits for one device, in order.';

CREATE SEQUENCE push.installation_claim_id;
COMMENT ON SEQUENCE push.installation_claim_id IS 'Ids of push.installation_claim.';

CREATE TABLE push.installation_claim (
    id         bigint NOT NULL DEFAULT nextval('push.installation_claim_id'),
    hub        int NOT NULL,
    device     text COLLATE "C" NOT NULL,
    worker     int NOT NULL,
    epoch      int NOT NULL,
    claimed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (hub, device)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0);
CREATE UNIQUE INDEX installation_claim_by_id ON push.installation_claim (id);
ALTER SEQUENCE push.installation_claim_id OWNED BY push.installation_claim.id;
COMMENT ON TABLE push.installation_claim IS
    'Which worker holds which device now. Its primary key keeps a device in one hand.';
COMMENT ON COLUMN push.installation_claim.id IS
    'Never used twice: results are recorded for the claim with this id and for no later one of the same device.';
COMMENT ON COLUMN push.installation_claim.hub IS 'The hub: push.hub.id.';
COMMENT ON COLUMN push.installation_claim.device IS 'The device: push.device.device.';
COMMENT ON COLUMN push.installation_claim.worker IS 'The worker: push.worker.id.';
COMMENT ON COLUMN push.installation_claim.epoch IS 'push.worker.epoch.';
COMMENT ON COLUMN push.installation_claim.claimed_at IS 'When the worker took the device.';
COMMENT ON INDEX push.installation_claim_by_id IS 'Finds a claim when its results come.';

CREATE TABLE push.installation_result (
    id          bigint NOT NULL,
    at          timestamptz NOT NULL DEFAULT clock_timestamp(),
    status      push.change_status NOT NULL,
    http        smallint,
    tracking_id text,
    error       text,
    note        text
);
CREATE INDEX installation_result_of_change ON push.installation_result (id);
CREATE INDEX installation_result_refused ON push.installation_result (at) WHERE status = 'refused';
COMMENT ON TABLE push.installation_result IS
    'What became of each change. Append-only. A change has any number of rows retrying and at most one other, which '
    'is final.';
COMMENT ON COLUMN push.installation_result.id IS 'The change: push.installation_change.id.';
COMMENT ON COLUMN push.installation_result.at IS 'When the row was written.';
COMMENT ON COLUMN push.installation_result.status IS 'applied, superseded and refused are final; retrying is not.';
COMMENT ON COLUMN push.installation_result.http IS
    'HTTP status of the answer; null: no answer came, or nothing was sent.';
COMMENT ON COLUMN push.installation_result.tracking_id IS
    'The hub''s id of the request, which its support asks for; null: no answer, or none in it.';
COMMENT ON COLUMN push.installation_result.error IS 'What the hub or the network said; null: no error.';
COMMENT ON COLUMN push.installation_result.note IS
    'What happened and what to do; null: nothing to say.';
COMMENT ON INDEX push.installation_result_of_change IS 'The results of a change.';
COMMENT ON INDEX push.installation_result_refused IS 'What was refused of late, which people look for.';
COMMENT ON COLUMN push.hub_state.devices_until IS
    'No worker applies changes of devices before this time, because the hub asked to wait or took none. Messages do '
    'not wait for it. Null or past: they are applied.';
COMMENT ON COLUMN push.hub_state.devices_why IS 'Why changes of devices wait; null: they never had to.';


CREATE INDEX installation_change_of_device ON push.installation_change (hub, device, id);
COMMENT ON INDEX push.installation_change_of_device IS 'The changes of one device.';

-- ## What phones show, and how many devices a tag reaches.

CREATE TABLE push.device_template (
    hub      int NOT NULL,
    hash     text COLLATE "C" NOT NULL,
    platform text NOT NULL,
    name     text COLLATE "C" NOT NULL
             CONSTRAINT name_has_1_to_200_characters CHECK (length(name) BETWEEN 1 AND 200),
    body     text COLLATE "C" NOT NULL
             CONSTRAINT body_has_1_to_65536_bytes CHECK (octet_length(body) BETWEEN 1 AND 65536),
    headers  json,
    expiry   text,
    devices  bigint NOT NULL,
    of       bigint NOT NULL,
    seen_at  timestamptz NOT NULL,
    PRIMARY KEY (hub, hash),
    CONSTRAINT devices_are_some_of_those_looked_at CHECK (devices BETWEEN 0 AND of)
) WITH (fillfactor = 70);
COMMENT ON TABLE push.device_template IS
    'The different templates that devices of a hub have, at most 1,000 a hub: found by workers in the newest changes of devices, '
    'or learned with push.learn_templates. Without what is of one device: tags, push variables, handle.';
COMMENT ON COLUMN push.device_template.hub IS 'The hub: push.hub.id.';
COMMENT ON COLUMN push.device_template.hash IS
    'Names it: the beginning of the SHA-256 of platform, name, body, headers and expiry (push_internal.template_hash).';
COMMENT ON COLUMN push.device_template.platform IS 'The platform of its devices, such as apns or fcmV1.';
COMMENT ON COLUMN push.device_template.name IS 'Its name on the device, which is a tag there, too.';
COMMENT ON COLUMN push.device_template.body IS
    'What a push looks like there, with expressions such as $(message). JSON without blanks between values, so that bodies '
    'that differ in blanks alone are one.';
COMMENT ON COLUMN push.device_template.headers IS 'An object of texts, in the order of their names; null: none.';
COMMENT ON COLUMN push.device_template.expiry IS
    'When the platform gives up: a time, a number or an expression; null: not said.';
COMMENT ON COLUMN push.device_template.devices IS 'Devices that had it, of those that were looked at.';
COMMENT ON COLUMN push.device_template.of IS
    'How many devices were looked at, at most 2,000 by a worker; 0: it was learned by itself, and none was.';
COMMENT ON COLUMN push.device_template.seen_at IS 'When a device with it changed last, or when it was learned.';

CREATE TABLE push.reach (
    hub        int NOT NULL,
    expression text COLLATE "C" NOT NULL
               CONSTRAINT expression_has_1_to_2600_bytes CHECK (octet_length(expression) BETWEEN 1 AND 2600),
    devices    bigint NOT NULL,
    of         bigint NOT NULL,
    is_whole   boolean NOT NULL,
    counted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    by         text NOT NULL DEFAULT push.person(),
    PRIMARY KEY (hub, expression),
    CONSTRAINT devices_are_some_of_those_looked_at CHECK (devices BETWEEN 0 AND of)
);
COMMENT ON TABLE push.reach IS
    'How many devices tag expressions meant when somebody asked the hub (fanfare tag reach); at most 1,000 a hub, the newest.';
COMMENT ON COLUMN push.reach.hub IS 'The hub: push.hub.id.';
COMMENT ON COLUMN push.reach.expression IS 'The tag or tag expression, with every parenthesis and single blanks.';
COMMENT ON COLUMN push.reach.devices IS 'Devices that it means, each counted once, of those that were looked at.';
COMMENT ON COLUMN push.reach.of IS 'Devices that were looked at. Of a single tag the hub lists only those that have it.';
COMMENT ON COLUMN push.reach.is_whole IS 'Whether all were looked at; false: the count stopped at a limit, and there are more.';
COMMENT ON COLUMN push.reach.counted_at IS 'When it was counted.';
COMMENT ON COLUMN push.reach.by IS 'Who counted it.';

-- ## Campaigns: what is said, to whom, at which pace; and their runs.

CREATE TYPE push.campaign_state AS ENUM ('draft', 'ready', 'archived');
COMMENT ON TYPE push.campaign_state IS
    'draft: its spec may still be wrong, and it cannot be run. ready: it can be run. archived: it is kept for its '
    'history and cannot be run.';

CREATE TYPE push_internal.recipient AS (
    key        text,
    tag        text,
    handle     text,
    locale     text,
    properties json,
    expires_at timestamptz
);
COMMENT ON TYPE push_internal.recipient IS 'One row of an audience: who it is, how it is reached, and what its text is filled from.';

CREATE TYPE push.run_state AS ENUM (
    'waiting', 'canary', 'running', 'paused', 'cancelling', 'cancelled', 'done', 'failed', 'expired', 'skipped');
COMMENT ON TYPE push.run_state IS
    'waiting: it begins when the runs before it are over. canary: its first recipients have their messages, and the '
    'rest waits for their results. running: its audience is expanded and sent. paused: nothing more is expanded or '
    'sent until push.resume_run. cancelling: nothing more is sent, and what is on the wire ends. The others are '
    'final: cancelled, done, failed (nothing could be sent), expired (its time was up before its audience was '
    'through), skipped (its time came while another run was not over, or while no worker lived).';

CREATE TABLE push.run_transition (
    state   push.run_state NOT NULL,
    event   text COLLATE "C" NOT NULL,
    next    push.run_state,
    because text NOT NULL,
    PRIMARY KEY (state, event)
);
COMMENT ON TABLE push.run_transition IS
    'What each event does to a run in each state. Filled by the schema itself; fanfare campaign states prints it.';
COMMENT ON COLUMN push.run_transition.state IS 'The state of the run.';
COMMENT ON COLUMN push.run_transition.event IS 'What a person asks, or what workers find.';
COMMENT ON COLUMN push.run_transition.next IS 'The state that it gets, or keeps. Null: the event is refused.';
COMMENT ON COLUMN push.run_transition.because IS 'Why, or what to do instead.';

CREATE TABLE push.campaign (
    id         int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name       text COLLATE "C" NOT NULL UNIQUE
               CONSTRAINT name_is_short_and_plain CHECK (name ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
    state      push.campaign_state NOT NULL DEFAULT 'ready',
    revision   int NOT NULL DEFAULT 0,
    changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    next_at    timestamptz,
    fires_at   timestamptz,
    moved_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    upcoming   timestamptz[] NOT NULL DEFAULT '{}',
    schedule_paused_at timestamptz,
    schedule_why       text,
    unapproved         text,
    tags               text[] COLLATE "C" NOT NULL DEFAULT '{}'
                       CONSTRAINT tags_are_short_and_plain
                       CHECK (array_to_string(tags, ' ') ~ '^([a-z0-9][a-z0-9_-]{0,62}( |$)){0,20}$')
) WITH (fillfactor = 70);
CREATE INDEX campaign_fires ON push.campaign (fires_at) WHERE fires_at IS NOT NULL;
CREATE INDEX campaign_moved ON push.campaign (moved_at) WHERE fires_at IS NOT NULL;
CREATE INDEX campaign_unapproved ON push.campaign (id) WHERE unapproved IS NOT NULL;
COMMENT ON TABLE push.campaign IS 'The campaigns by name. Small, and updated; every change is in push.audit.';
COMMENT ON COLUMN push.campaign.id IS 'Number of the campaign in the other tables.';
COMMENT ON COLUMN push.campaign.name IS '1 to 63 of a-z 0-9 _ -, not beginning with _ or -; not new.';
COMMENT ON COLUMN push.campaign.state IS 'Whether it can be run.';
COMMENT ON COLUMN push.campaign.revision IS
    'The newest revision: push.campaign_revision.revision. The next run uses it, where it needs no approval or has it.';
COMMENT ON COLUMN push.campaign.changed_at IS 'When it got that revision, or was archived.';
COMMENT ON COLUMN push.campaign.next_at IS
    'The time of its schedule that comes next; -infinity: a worker is about to work it out, from fires_at on. Null: it '
    'has no schedule, or the schedule is paused or over. Workers move it (push_worker.fire_v1).';
COMMENT ON COLUMN push.campaign.fires_at IS 'When the run of next_at begins: next_at and its share of the jitter.';
COMMENT ON COLUMN push.campaign.moved_at IS
    'When next_at was set last. In the future: the server''s clock was ahead then, and a worker works next_at out '
    'again.';
COMMENT ON COLUMN push.campaign.upcoming IS
    'The next five times of its schedule, next_at first, as a worker worked them out: push.campaign_next shows them.';
COMMENT ON COLUMN push.campaign.schedule_paused_at IS 'Since when its schedule is paused; null: it is not.';
COMMENT ON COLUMN push.campaign.schedule_why IS
    'Why it is paused: who paused it, with a note, or what failed. Not paused: which start was missed last and why, '
    'until the schedule moves on; why no time comes; or why no worker can work it out.';
COMMENT ON COLUMN push.campaign.unapproved IS
    'push.unapproved, as of the last change of the campaign, of its approvals or of its hubs.';
COMMENT ON COLUMN push.campaign.tags IS
    'Words by which people find it (push.tag_campaign), in their order. Not tags of recipients, and not part of what is sent or '
    'approved.';
COMMENT ON INDEX push.campaign_fires IS 'Which campaigns fire: asked once a second by every worker.';
COMMENT ON INDEX push.campaign_moved IS 'Which next times were worked out when the clock was ahead.';
COMMENT ON INDEX push.campaign_unapproved IS 'Campaigns of which an older revision or none is sent.';

CREATE TABLE push.campaign_revision (
    campaign int NOT NULL REFERENCES push.campaign,
    revision int NOT NULL,
    hash     text NOT NULL,
    spec     json NOT NULL,
    by       text NOT NULL DEFAULT push.person(),
    at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    login    text NOT NULL DEFAULT session_user,
    is_person boolean NOT NULL DEFAULT (push_internal.named_person() IS NOT NULL),
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
COMMENT ON COLUMN push.campaign_revision.by IS 'Who gave it (push.person).';
COMMENT ON COLUMN push.campaign_revision.at IS 'When.';
COMMENT ON COLUMN push.campaign_revision.login IS
    'The login of that session: by may be a role that several logins share.';
COMMENT ON COLUMN push.campaign_revision.is_person IS
    'Whether by is a person whom the login named, as a console does for those who share it; false: a role.';
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
    event         text COLLATE "C" NOT NULL DEFAULT 'start',
    why           text,
    rate          real,
    estimate      bigint,
    started_by    text NOT NULL DEFAULT push.person(),
    started_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    begun_at      timestamptz,
    state_since   timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_after interval,
    ends_at       timestamptz,
    ended_at      timestamptz,
    closed_at     timestamptz,
    stop_when     json,
    judged_results bigint NOT NULL DEFAULT 0,
    judged_rejected bigint NOT NULL DEFAULT 0,
    judged_doubts bigint NOT NULL DEFAULT 0,
    canary        json,
    canary_size   bigint,
    canary_judged_at timestamptz,
    test          json,
    is_test       boolean NOT NULL GENERATED ALWAYS AS (test IS NOT NULL) STORED,
    bypasses_suppression boolean NOT NULL DEFAULT false,
    send_window   json,
    ramp          interval,
    list          int,
    UNIQUE (campaign, key),
    FOREIGN KEY (campaign, revision) REFERENCES push.campaign_revision
) WITH (fillfactor = 70);
CREATE INDEX run_open ON push.run (id) WHERE closed_at IS NULL;
CREATE INDEX run_active ON push.run (id) WHERE closed_at IS NULL AND state <> 'waiting';
CREATE INDEX run_waiting ON push.run (campaign, id) WHERE state = 'waiting';
CREATE INDEX run_paused ON push.run (id) WHERE state = 'paused';
CREATE INDEX run_of_campaign ON push.run (campaign, id);
CREATE INDEX run_not_ended ON push.run (campaign, id) WHERE ended_at IS NULL;
COMMENT ON TABLE push.run IS
    'One start of a campaign. Its key is used once: a second start with it joins the run. Small, and updated; every '
    'change is in push.audit.';
COMMENT ON COLUMN push.run.id IS 'Number of the run in the other tables.';
COMMENT ON COLUMN push.run.campaign IS 'The campaign: push.campaign.id.';
COMMENT ON COLUMN push.run.revision IS 'The revision it sends. A later edit of the campaign does not change it.';
COMMENT ON COLUMN push.run.key IS
    'What the caller named it, such as the date. Its messages have it as push.message.run.';
COMMENT ON COLUMN push.run.state IS 'Where it stands.';
COMMENT ON COLUMN push.run.event IS
    'What brought it into its state: start, or as in push.run_transition.event. Each is kept in push.run_event.';
COMMENT ON COLUMN push.run.why IS 'Why it is in this state, in words; null: nothing to say.';
COMMENT ON COLUMN push.run.rate IS
    'Messages a second over all hubs (push.set_run_rate). Null: as fast as the hubs take them.';
COMMENT ON COLUMN push.run.estimate IS
    'How many recipients its audience had at the start: counted for tags, lists and what is spread, else guessed by '
    'PostgreSQL for a view. Null: not known.';
COMMENT ON COLUMN push.run.started_by IS 'Who started it (push.person), or schedule.';
COMMENT ON COLUMN push.run.started_at IS 'When it was started.';
COMMENT ON COLUMN push.run.begun_at IS
    'When its turn came: at its start, or when the runs before it were over. Null: it waits for that.';
COMMENT ON COLUMN push.run.state_since IS 'Since when it is in its state.';
COMMENT ON COLUMN push.run.expires_after IS
    'How long after its start its messages may be sent (expires of the spec); null: as the hub says, from each '
    'message''s time on.';
COMMENT ON COLUMN push.run.ends_at IS
    'When it expires if its audience is not read to its end (maxDuration of the spec); null: never.';
COMMENT ON COLUMN push.run.ended_at IS 'When it got its final state; null: it has none.';
COMMENT ON COLUMN push.run.closed_at IS
    'Since when every message of it is final and counted. Null: some are not; workers still update it.';
COMMENT ON COLUMN push.run.stop_when IS
    'When it pauses by itself: {"rejected": share, "doubt": share, "least": results}. Null: never.';
COMMENT ON COLUMN push.run.judged_results IS
    'Results that it had when a person resumed it: stop_when counts only later ones.';
COMMENT ON COLUMN push.run.judged_rejected IS 'Of those, the rejected ones.';
COMMENT ON COLUMN push.run.judged_doubts IS 'Of those, the ones in doubt.';
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
COMMENT ON COLUMN push.run.list IS
    'The list it began with: push.list.id, even if another has its name by now. Null: its audience is no list.';
COMMENT ON INDEX push.run_open IS 'Runs that are not over: few among many.';
COMMENT ON INDEX push.run_active IS 'Of those, the runs that workers update.';
COMMENT ON INDEX push.run_waiting IS 'Runs that wait for their turn, by campaign: only the first of each is looked at.';
COMMENT ON INDEX push.run_paused IS 'Whether any run is paused: then messages that a worker returns may have to be parked.';
COMMENT ON INDEX push.run_of_campaign IS 'The newest run of a campaign.';
COMMENT ON INDEX push.run_not_ended IS 'Runs of a campaign that are not over, the oldest first.';

CREATE TABLE push.run_event (
    id    bigint PRIMARY KEY DEFAULT push_internal.next_arrival(),
    run   bigint NOT NULL REFERENCES push.run ON DELETE CASCADE,
    at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    event text COLLATE "C" NOT NULL,
    was   push.run_state,
    state push.run_state NOT NULL,
    why   text,
    who   text NOT NULL DEFAULT push.person()
);
CREATE INDEX run_event_of_run ON push.run_event (run, id);
COMMENT ON TABLE push.run_event IS
    'What happened to runs, but for tests: each start, each change of a state, and the end of what was still on its way '
    'in a run that had expired. Append-only; kept for as long as the run. push.run_events_since reads it.';
COMMENT ON COLUMN push.run_event.id IS 'From push.arrival: the order in which events were committed, or nearly so.';
COMMENT ON COLUMN push.run_event.run IS 'The run: push.run.id.';
COMMENT ON COLUMN push.run_event.at IS 'When it was committed, by the database''s clock.';
COMMENT ON COLUMN push.run_event.event IS 'start, or as in push.run_transition.event.';
COMMENT ON COLUMN push.run_event.was IS 'The state before; null: it was started.';
COMMENT ON COLUMN push.run_event.state IS 'The state since. The same as before where its last messages have ended.';
COMMENT ON COLUMN push.run_event.why IS 'As push.run.why at that time; null: nothing to say.';
COMMENT ON COLUMN push.run_event.who IS 'Whose call it was: a person (push.person), the role of a worker, or schedule.';
COMMENT ON INDEX push.run_event_of_run IS 'The events of one run, in their order.';

CREATE TABLE push.run_content (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run      bigint NOT NULL UNIQUE REFERENCES push.run,
    format   text NOT NULL,
    headers  json,
    content  json NOT NULL,
    fallback text
);
COMMENT ON TABLE push.run_content IS
    'What a run says, once: a message names its stream, and has only what is its recipient''s own.';
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
    hub        int NOT NULL REFERENCES push.hub,
    zone       text,
    part       text,
    zone_known boolean NOT NULL DEFAULT true,
    priority   smallint NOT NULL,
    release_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    cursor     text,
    expanded   bigint NOT NULL DEFAULT 0,
    slices     int NOT NULL DEFAULT 0,
    filled_until timestamptz,
    count_at   bigint,
    left_out   text,
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
COMMENT ON COLUMN push.stream.filled_until IS
    'Until when messages that were given back fill its rate: the next slice comes behind them. Null: none do.';
COMMENT ON COLUMN push.stream.count_at IS
    'When more messages than that are made, its audience is counted: no more are made than it has rows. Null: twice '
    'push.run.estimate.';
COMMENT ON COLUMN push.stream.left_out IS
    'Why those of its audience who have no message yet get none, until a worker has counted them: passed or outside_window, as in '
    'push.slice.left_out. Null: they get one.';
COMMENT ON COLUMN push.stream.done_at IS 'When the audience had been read to its end; null: not yet.';
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
    'The first message. Ids of others may lie in between; they have another stream.';
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
    name text COLLATE "C" NOT NULL
         CONSTRAINT name_is_short_and_plain CHECK (name ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
    by   text NOT NULL DEFAULT push.person(),
    at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    replaced_by int
);
CREATE UNIQUE INDEX list_by_name ON push.list (name) WHERE replaced_by IS NULL;
CREATE INDEX list_replaced ON push.list (replaced_by) WHERE replaced_by IS NOT NULL;
COMMENT ON TABLE push.list IS
    'Audiences that came from files. One that was replaced stays until the runs that began with it are over.';
COMMENT ON COLUMN push.list.id IS 'Number of the list.';
COMMENT ON COLUMN push.list.name IS 'What a spec names: {"list": "beta"}.';
COMMENT ON COLUMN push.list.by IS 'Who made it.';
COMMENT ON COLUMN push.list.at IS 'When.';
COMMENT ON COLUMN push.list.replaced_by IS
    'The list that took its name: no run begins with this one any more. Null: it is the one of that name.';
COMMENT ON INDEX push.list_by_name IS 'The list of each name.';
COMMENT ON INDEX push.list_replaced IS 'Lists that go when no run reads them.';

CREATE TABLE push.list_member (
    list       int NOT NULL REFERENCES push.list ON DELETE CASCADE,
    key        text COLLATE "C" NOT NULL,
    tag        text COLLATE "C",
    handle     text COLLATE "C",
    locale     text COLLATE "C",
    properties json,
    time_zone  text COLLATE "C",
    PRIMARY KEY (list, key),
    CONSTRAINT recipient_has_a_tag_or_a_handle CHECK (num_nonnulls(tag, handle) = 1),
    CONSTRAINT key_has_1_to_1000_bytes CHECK (octet_length(key) BETWEEN 1 AND 1000)
);
CREATE INDEX list_member_by_zone ON push.list_member (list, time_zone, key);
COMMENT ON TABLE push.list_member IS 'The recipients of a list.';
COMMENT ON COLUMN push.list_member.list IS 'The list: push.list.id.';
COMMENT ON COLUMN push.list_member.key IS 'Who it is, such as the user''s id; once in a list.';
COMMENT ON COLUMN push.list_member.tag IS 'The tag that reaches the recipient; null: handle does.';
COMMENT ON COLUMN push.list_member.handle IS 'The device handle of the recipient; null: tag reaches it.';
COMMENT ON COLUMN push.list_member.locale IS 'The recipient''s language; null: the fallback''s.';
COMMENT ON COLUMN push.list_member.properties IS
    'What texts say of the recipient: an object of texts, numbers and booleans such as {"name": "Ada"}; null: nothing.';
COMMENT ON COLUMN push.list_member.time_zone IS
    'The recipient''s time zone, such as Europe/Berlin; null: the default of the campaign.';
COMMENT ON INDEX push.list_member_by_zone IS
    'The zones of a list, and the recipients of each in the order of their keys.';

CREATE TABLE push.suppression (
    what   text NOT NULL CONSTRAINT what_is_tag_handle_or_key CHECK (what IN ('tag', 'handle', 'key')),
    value  text COLLATE "C" NOT NULL,
    reason text,
    until  timestamptz,
    by     text NOT NULL DEFAULT push.person(),
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

-- ## Where a call that stops a run goes on.

CREATE TYPE push.stop_mark AS (
    claim    bigint,
    stream   bigint,
    n        int,
    stopped   boolean,
    too_late bigint
);
COMMENT ON TYPE push.stop_mark IS
    'Where a call that stops a run ended: behind this claim; or, if stream is not null, behind all claims and behind '
    'this slice; whether this pass stopped anything, and how many messages were on the wire.';

-- ## The last look at what is pending, for metrics.

CREATE TABLE push.pulse (
    taken_at     timestamptz,
    worker       int,
    milliseconds real,
    reading      jsonb
) WITH (fillfactor = 20);
CREATE UNIQUE INDEX pulse_is_one_row ON push.pulse ((true));
COMMENT ON TABLE push.pulse IS
    'The last reading of push.read_pulse that a worker took for the metrics of all workers. One row.';
COMMENT ON COLUMN push.pulse.taken_at IS 'When it was taken; null: never.';
COMMENT ON COLUMN push.pulse.worker IS 'The worker that took it: push.worker.id.';
COMMENT ON COLUMN push.pulse.milliseconds IS 'How long that took.';
COMMENT ON COLUMN push.pulse.reading IS 'What it found, as push.read_pulse returns it.';
COMMENT ON INDEX push.pulse_is_one_row IS 'Refuses a second row.';
INSERT INTO push.pulse DEFAULT VALUES;

-- ## Who approved or rejected which revision of a campaign.

CREATE TABLE push.approval (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    campaign int NOT NULL,
    revision int NOT NULL,
    hash     text NOT NULL,
    verdict  text NOT NULL CONSTRAINT verdict_is_approved_or_rejected CHECK (verdict IN ('approved', 'rejected')),
    by       text NOT NULL DEFAULT push.person(),
    at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    note     text,
    login    text NOT NULL DEFAULT session_user,
    is_person boolean NOT NULL DEFAULT (push_internal.named_person() IS NOT NULL),
    settings jsonb NOT NULL,
    FOREIGN KEY (campaign, revision) REFERENCES push.campaign_revision
);
CREATE INDEX approval_of_revision ON push.approval (campaign, revision, id);
COMMENT ON TABLE push.approval IS
    'Verdicts of people on revisions of campaigns. Of a revision the newest verdict counts. Append-only.';
COMMENT ON COLUMN push.approval.id IS 'Number of the verdict.';
COMMENT ON COLUMN push.approval.campaign IS 'The campaign: push.campaign.id.';
COMMENT ON COLUMN push.approval.revision IS 'The revision: push.campaign_revision.revision.';
COMMENT ON COLUMN push.approval.hash IS
    'What was read: push.approvals.hash of that moment. An approval counts while the hash is still the same.';
COMMENT ON COLUMN push.approval.verdict IS 'approved or rejected.';
COMMENT ON COLUMN push.approval.by IS 'Who said it (push.person).';
COMMENT ON COLUMN push.approval.at IS 'When.';
COMMENT ON COLUMN push.approval.note IS 'Why, for the others; null: not said.';
COMMENT ON COLUMN push.approval.login IS 'The login of that session: by may be a role that several logins share.';
COMMENT ON COLUMN push.approval.is_person IS
    'Whether by is a person whom the login named, as a console does for those who share it; false: a role.';
COMMENT ON COLUMN push.approval.settings IS
    'The settings of its hubs that are part of the hash: those that change what is sent.';
COMMENT ON INDEX push.approval_of_revision IS 'What was said of a revision, the newest last.';

-- ## Caps: whom campaigns of a group reached.

CREATE TABLE push.cap_group (
    id   int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text COLLATE "C" NOT NULL UNIQUE
         CONSTRAINT name_is_short_and_plain CHECK (name ~ '^[a-z0-9][a-z0-9_-]{0,62}$')
);
COMMENT ON TABLE push.cap_group IS
    'The groups that caps name. The lock of a row keeps two runs of a group from being expanded at the same moment, '
    'so that both see whom the other reached.';
COMMENT ON COLUMN push.cap_group.id IS 'Number of the group in the other tables.';
COMMENT ON COLUMN push.cap_group.name IS 'What a spec names: {"cap": {"group": "marketing"}}.';

CREATE TABLE push.capped_run (
    cap_group int NOT NULL,
    day       date NOT NULL,
    run       bigint NOT NULL,
    PRIMARY KEY (cap_group, day, run)
);
COMMENT ON TABLE push.capped_run IS
    'The runs of each group by day: while there are fewer than a cap allows, nobody has to be looked up.';
COMMENT ON COLUMN push.capped_run.cap_group IS 'The group: push.cap_group.id.';
COMMENT ON COLUMN push.capped_run.day IS 'A day in UTC on which messages of the run were made.';
COMMENT ON COLUMN push.capped_run.run IS 'The run: push.run.id.';

CREATE TYPE push.key_range AS RANGE (subtype = bytea, multirange_type_name = push.key_multirange);
COMMENT ON TYPE push.key_range IS
    'From a first key to a last one: of both only the beginning, as long as it takes to distinguish them, in lower case, '
    'compared by bytes.';

-- An audience is read in the order of its keys, so those of a page that any run reached lie in a few rows. They are found by
-- their ranges and compared in memory: no index has an entry for each recipient, which would need 46 to 83 bytes.
CREATE TABLE push.reached (
    day       date NOT NULL,
    cap_group int NOT NULL,
    run       bigint NOT NULL,
    keys      push.key_range NOT NULL,
    hashes    bigint[] NOT NULL
) PARTITION BY RANGE (day);
ALTER TABLE push.reached ALTER hashes SET STORAGE PLAIN;  -- read where they lie: at most 480, two rows a page
CREATE INDEX reached_by_keys ON push.reached USING gist (keys);
COMMENT ON TABLE push.reached IS
    'Whom campaigns with a cap reached, for as long as caps.rememberDays of the configuration says; written with the '
    'messages. A partition has ten days.';
COMMENT ON COLUMN push.reached.day IS 'The day in UTC on which the messages were made.';
COMMENT ON COLUMN push.reached.cap_group IS 'The group: push.cap_group.id.';
COMMENT ON COLUMN push.reached.run IS 'The run: push.run.id. It has each recipient once, also with several hubs.';
COMMENT ON COLUMN push.reached.keys IS 'Between which keys all of them lie: beginnings of two of them.';
COMMENT ON COLUMN push.reached.hashes IS
    'hashtextextended(key, 0) of up to 480 recipients. Nobody can be found by it whose key is not known.';
COMMENT ON INDEX push.reached_by_keys IS 'Where somebody may be among those who were reached.';
COMMENT ON COLUMN push.retention.remember_days IS
    'caps.rememberDays of the configuration, as fanfare migrate up read it: how long push.reached is kept.';
