-- Fanfare, migration 2: The hubs that a message may name, and whether each takes posts now.

LOCK TABLE push.migration IN EXCLUSIVE MODE;            -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

CREATE TABLE push.hub (
    id              smallint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name            text COLLATE "C" NOT NULL UNIQUE
                    CONSTRAINT name_is_short_and_plain CHECK (name ~ '^[a-z0-9_-]{1,63}$'),
    kind            text NOT NULL DEFAULT 'notification-hubs',
    localization    text NOT NULL DEFAULT 'properties'
                    CONSTRAINT localization_is_properties_or_tags CHECK (localization IN ('properties', 'tags')),
    languages       text[] NOT NULL DEFAULT '{}',
    fallback        text,
    allow_broadcast boolean NOT NULL DEFAULT false,
    on_doubt        text NOT NULL DEFAULT 'hold'
                    CONSTRAINT on_doubt_is_hold_or_resend CHECK (on_doubt IN ('hold', 'resend')),
    expire_after    interval NOT NULL DEFAULT '24 hours',
    settle          interval NOT NULL DEFAULT '500 ms',
    keep_content    interval NOT NULL DEFAULT '24 hours',
    keep_dedupe     interval NOT NULL DEFAULT '168 hours',
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
    'hubs that are missing (push.register_hub_v1).';
COMMENT ON COLUMN push.hub.id IS 'Number of the hub in the other tables.';
COMMENT ON COLUMN push.hub.name IS 'What backends write into push.message.hub.';
COMMENT ON COLUMN push.hub.kind IS 'Kind of service; notification-hubs is the only one.';
COMMENT ON COLUMN push.hub.localization IS 'properties: one post carries every language; tags: one post per locale.';
COMMENT ON COLUMN push.hub.languages IS 'Locales the hub is configured for; a message in another language is refused.';
COMMENT ON COLUMN push.hub.fallback IS 'The locale that stands in for languages a content lacks; null: none.';
COMMENT ON COLUMN push.hub.allow_broadcast IS 'Whether a message may reach every registration.';
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
COMMENT ON COLUMN push.hub.removed_by IS 'The login that removed it; null: in use.';

CREATE TABLE push.hub_state (
    hub          smallint PRIMARY KEY REFERENCES push.hub,
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
    tokens       double precision,
    tokens_at    timestamptz,
    slowed_to    double precision CONSTRAINT slowed_to_is_positive CHECK (slowed_to > 0),
    slowed_at    timestamptz,
    slowed_why   text,
    broken_until timestamptz,
    broken_why   text,
    served_at    timestamptz
) WITH (fillfactor = 20);
COMMENT ON TABLE push.hub_state IS 'Whether a hub takes posts now. One row per hub, shared by all workers.';
COMMENT ON COLUMN push.hub_state.hub IS 'The hub: push.hub.id.';
COMMENT ON COLUMN push.hub_state.gate_until IS
    'The hub throttles: no worker posts before this time. Null or past: the gate is open.';
COMMENT ON COLUMN push.hub_state.held_since IS
    'Since when the hub refuses us (key, name or certificate); its messages wait. Null: it does not.';
COMMENT ON COLUMN push.hub_state.hold_reason IS 'What the hub said when it refused us: what to fix. Null: not held.';
COMMENT ON COLUMN push.hub_state.probe_at IS 'When the next message is tried on a held hub. Null: not held.';
COMMENT ON COLUMN push.hub_state.paused_by IS
    'The role that paused the hub; push.resume_hub ends that. Null: not paused.';
COMMENT ON COLUMN push.hub_state.paused_why IS 'Why that role paused it, in its words; null: it did not say.';
COMMENT ON COLUMN push.hub_state.changed_at IS 'When gate, hold, pause or breaker last changed.';
COMMENT ON COLUMN push.hub_state.key IS
    'The key that workers sign with: primary or secondary. A worker without a secondary key keeps the primary one.';
COMMENT ON COLUMN push.hub_state.key_since IS 'When the key was last changed; null: never.';
COMMENT ON COLUMN push.hub_state.key_reason IS
    'Who changed the key, or what the hub said about the other one; null: it was never changed.';
COMMENT ON COLUMN push.hub_state.rate IS
    'Posts per second at most, over all workers, set by push.set_rate. 0: no limit; null: ratePerSecond of the '
    'configuration.';
COMMENT ON COLUMN push.hub_state.tokens IS
    'Token bucket of the limit, as of tokens_at: posts that may leave at once. It fills at the rate, up to one '
    'second''s worth. Null: full.';
COMMENT ON COLUMN push.hub_state.tokens_at IS 'When tokens was counted; null: not since the rate was set.';
COMMENT ON COLUMN push.hub_state.slowed_to IS
    'Posts per second, over all workers, when the hub last throttled: half of what they were. The limit doubles every '
    '30 seconds and ends after three minutes (push.speed). Null: the hub did not throttle.';
COMMENT ON COLUMN push.hub_state.slowed_at IS 'When the hub last throttled; null: it did not.';
COMMENT ON COLUMN push.hub_state.slowed_why IS 'What the hub said when it last throttled; null: it did not.';
COMMENT ON COLUMN push.hub_state.broken_until IS
    'Posts of a worker do not get through, and it tries again at this time. The other workers try one post before '
    'they send more. Null: posts get through.';
COMMENT ON COLUMN push.hub_state.broken_why IS 'What went wrong at that worker; null: posts get through.';
COMMENT ON COLUMN push.hub_state.served_at IS
    'When a worker that has left, or died, last served the hub; push.serving has those that serve it now. Null: none '
    'has left.';

CREATE FUNCTION push.refuse_hub(hub text, what text DEFAULT 'push.message.hub') RETURNS smallint
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    known text := (SELECT string_agg(h.name, ', ' ORDER BY h.name) FROM push.hub h WHERE h.removed_at IS NULL);
    removed push.hub;
BEGIN
    SELECT h.* INTO removed FROM push.hub h WHERE h.name = refuse_hub.hub;
    RAISE EXCEPTION USING
        ERRCODE = 'foreign_key_violation',
        SCHEMA = 'push',
        TABLE = 'message',
        COLUMN = 'hub',
        CONSTRAINT = 'hub_is_registered',
        MESSAGE = CASE
            WHEN removed.id IS NULL
            THEN format('%s %s is not registered', what, coalesce(left(to_json(hub)::text, 100), 'NULL'))
            ELSE format('%s "%s" was removed by %s on %s', what, hub, removed.removed_by,
                        to_char(removed.removed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD'))
        END,
        HINT = coalesce('Registered: ' || known || '.', 'No hub is registered yet.')
               || CASE WHEN removed.id IS NULL THEN ' Add it to' ELSE ' To use it again, add it to' END
               || ' the configuration and run: fanfare migrate up';
END $$;
COMMENT ON FUNCTION push.refuse_hub IS
    'Raises for a message or device of a hub that is not registered, or was removed, and names the others. what: the '
    'column or call that names it. Only for other functions.';

CREATE FUNCTION push.hub_of(hub text, hint text DEFAULT 'SELECT name FROM push.hub') RETURNS smallint
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    id smallint := (SELECT h.id FROM push.hub h WHERE h.name = hub_of.hub);
BEGIN
    IF id IS NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'no_data_found',
            MESSAGE = format('hub %s is not registered', coalesce('"' || hub || '"', 'NULL')),
            HINT = hint;
    END IF;
    RETURN id;
END $$;
COMMENT ON FUNCTION push.hub_of IS 'The number of a hub; raises when no hub has that name. Only for other functions.';

INSERT INTO push.migration (version, name, works_from) VALUES (2, 'hubs', 61);
