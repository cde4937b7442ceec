-- Fanfare, migration 3: What backends write: push.message, and the words for who gets a message.

LOCK TABLE push.migration IN EXCLUSIVE MODE;            -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

-- Within a function that runs with its owner's rights current_user is the owner; the setting role is the caller's.
CREATE FUNCTION push.caller() RETURNS text
LANGUAGE sql STABLE
RETURN CASE current_setting('role') WHEN 'none' THEN session_user::text ELSE current_setting('role') END;
COMMENT ON FUNCTION push.caller IS 'The role of SET ROLE, else the login. Only for other functions.';

-- push.message has no CHECK: PostgreSQL 15 reads and plans each of them again for every statement, and with 14 of them
-- the INSERT of one row cost 2.1 to 2.3 times as much as into a bare table. The trigger push.enqueued, whose plans are
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
    created_at  timestamptz NOT NULL DEFAULT now(),
    enqueued_by text COLLATE "C" DEFAULT session_user,      -- push.caller() would cost twice as much, in each row
    run_content bigint
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
    'platform''s push service gave them out; only with a native format. Null: tag or broadcast says who gets it.';
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
    'W3C trace context of the request that enqueued the message: in the log lines about its posts, and sent as a header '
    'when all messages of a post have the same. Null: none.';
COMMENT ON COLUMN push.message.meta IS 'For the backend''s own use, at most 8 KB of JSON; never sent. Null: none.';
COMMENT ON COLUMN push.message.created_at IS 'When the enqueuing transaction began; not writable.';
COMMENT ON COLUMN push.message.enqueued_by IS
    'The login that enqueued it; the functions that enqueue write the role of SET ROLE, if there is one. Not writable.';
COMMENT ON COLUMN push.message.run_content IS
    'What a run of a campaign says (push.run_content.id); content is then what is this recipient''s own. Not writable by '
    'backends. Null: it belongs to no run.';

CREATE FUNCTION push.target_of(tag text, handles text[], broadcast boolean) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
    WHEN broadcast THEN '(everyone)'
    WHEN cardinality(handles) = 1 THEN '1 handle'
    WHEN handles IS NOT NULL THEN cardinality(handles)::text || ' handles'
    ELSE coalesce(tag, '(erased)')
END;
COMMENT ON FUNCTION push.target_of IS
    'Who gets a message, in words: the tag or expression, how many handles, or (everyone); (erased): push.erase '
    'removed it.';

INSERT INTO push.migration (version, name, works_from) VALUES (3, 'messages', 61);
