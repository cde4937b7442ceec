-- What is known of a hub beside its health: its registered settings, and how each worker serves it.

CREATE OR REPLACE VIEW push.hub_settings AS
SELECT h.name AS hub,
       s.key AS setting,
       s.value #>> '{}' AS value
  FROM push.hub h,
       LATERAL json_each(h.settings) s
 WHERE h.removed_at IS NULL;
COMMENT ON VIEW push.hub_settings IS
    'The registered settings of each hub, which the INSERT uses: those of a configuration, without secrets. A hub that a person '
    'added by push.add_hub has none yet.';
COMMENT ON COLUMN push.hub_settings.hub IS 'Name of the hub.';
COMMENT ON COLUMN push.hub_settings.setting IS 'Its name in the configuration: window of hubs.news.window.';
COMMENT ON COLUMN push.hub_settings.value IS 'As text; an object as JSON. Null: it is not set.';

CREATE OR REPLACE VIEW push.hub_workers AS
SELECT h.name AS hub,
       v.worker,
       w.name,
       push.is_alive(w.beat_at, w.lease_seconds) AS alive,
       v.key,
       v.has_secondary,
       v.token_expires_at,
       v.signings,
       v."window",
       v.in_flight,
       v.rate AS answers_per_second,
       v.milliseconds_p50,
       v.milliseconds_p95,
       v.milliseconds_p99,
       v.skew_seconds,
       coalesce(v.settings_hash <> h.settings_hash, false) AS differs,
       v.trouble,
       v.at
  FROM push.serving v
       JOIN push.worker w ON w.id = v.worker
       JOIN push.hub h ON h.id = v.hub;
COMMENT ON VIEW push.hub_workers IS 'How each worker serves each hub, as it reported with its last heartbeat.';
COMMENT ON COLUMN push.hub_workers.hub IS 'Name of the hub.';
COMMENT ON COLUMN push.hub_workers.worker IS 'The worker: push.worker.id.';
COMMENT ON COLUMN push.hub_workers.name IS 'Host and process id of the worker: host/pid.';
COMMENT ON COLUMN push.hub_workers.alive IS 'Whether the last heartbeat is at most two of its leases old.';
COMMENT ON COLUMN push.hub_workers.key IS 'The key that it signs with: primary or secondary.';
COMMENT ON COLUMN push.hub_workers.has_secondary IS 'Whether it has a secondary key, and so can follow push.rotate_hub.';
COMMENT ON COLUMN push.hub_workers.token_expires_at IS 'When its token ends; it signs a new one before that. Null: it has none.';
COMMENT ON COLUMN push.hub_workers.signings IS 'Tokens that it has signed since it started.';
COMMENT ON COLUMN push.hub_workers."window" IS 'Posts that it may have in flight.';
COMMENT ON COLUMN push.hub_workers.in_flight IS 'Posts that it has in flight.';
COMMENT ON COLUMN push.hub_workers.answers_per_second IS 'Answers per second of late; 0 after some seconds without any.';
COMMENT ON COLUMN push.hub_workers.milliseconds_p50 IS
    'Milliseconds in which the hub gave half of its answers of the last minute, at most an eighth too much. Null: it gave none, or '
    'the worker is of a build that does not measure this.';
COMMENT ON COLUMN push.hub_workers.milliseconds_p95 IS 'The same for 95 of 100 answers.';
COMMENT ON COLUMN push.hub_workers.milliseconds_p99 IS 'The same for 99 of 100 answers.';
COMMENT ON COLUMN push.hub_workers.skew_seconds IS
    'Seconds its clock is ahead of the hub''s (negative: behind); null: not known.';
COMMENT ON COLUMN push.hub_workers.differs IS 'Whether it works with other settings than are registered (push.hub_settings).';
COMMENT ON COLUMN push.hub_workers.trouble IS 'Why it has no pass for the hub, and posts nothing there; null: it has one.';
COMMENT ON COLUMN push.hub_workers.at IS 'When it reported this.';
