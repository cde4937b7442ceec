-- The whole schema, in psql's way. Also the one list of the files of migrations/, in their order, by which a build compiles
-- them in (Plugins/EmbedFiles).
--
--   psql -v ON_ERROR_STOP=1 -f migrations/install.sql
--
-- Run again, it replaces functions and views. psql does not know which files have changed, so it deletes their checksums,
-- and the next fanfare migrate up runs them once more.
\set ON_ERROR_STOP on
\o /dev/null
BEGIN;
SET LOCAL client_min_messages = warning;
SET LOCAL search_path = pg_catalog, pg_temp;      -- standard bodies keep what a name means now
SELECT to_regclass('push.schema_file') IS NULL AS is_new \gset
\if :is_new
\ir 0001_initial.sql
\else
LOCK TABLE push.schema_file IN EXCLUSIVE MODE;
DELETE FROM push.schema_file WHERE path !~ '^[0-9]';
\endif
\ir functions/operations/schema.sql
\ir functions/rules/words.sql
\ir functions/rules/kinds.sql
\ir functions/rules/hub_kinds.sql
\ir functions/operations/actions.sql
\ir functions/operations/persons.sql
\ir functions/protocol/post_ids.sql
\ir functions/rules/campaign_specs.sql
\ir functions/rules/cron.sql
\ir functions/rules/device_templates.sql
\ir functions/rules/device_values.sql
\ir functions/rules/device_changes.sql
\ir functions/rules/payloads.sql
\ir functions/rules/payload_rules.sql
\ir functions/rules/contents.sql
\ir functions/rules/run_transitions.sql
\ir functions/rules/schedule_specs.sql
\ir functions/rules/local_specs.sql
\ir functions/rules/tags.sql
\ir functions/rules/locale_rule.sql
\ir functions/rules/values.sql
\ir functions/rules/campaign_texts.sql
\ir functions/enqueue/keys.sql
\ir functions/enqueue/waits.sql
\ir functions/enqueue/statements.sql
\ir functions/enqueue/enqueue_keys.sql
\ir functions/enqueue/enqueued.sql
\ir functions/enqueue/fill_in.sql
\ir functions/enqueue/enqueue_many.sql
\ir functions/enqueue/wake_up.sql
\ir functions/enqueue/warm.sql
\ir functions/enqueue/enqueue.sql
\ir functions/hubs/hubs.sql
\ir functions/hubs/rates.sql
\ir functions/hubs/gates.sql
\ir functions/hubs/steer_hub.sql
\ir functions/hubs/add_hub.sql
\ir functions/hubs/remove_hub.sql
\ir functions/protocol/bounds.sql
\ir functions/protocol/waits.sql
\ir functions/protocol/drain.sql
\ir functions/protocol/results.sql
\ir functions/protocol/timeline.sql
\ir functions/protocol/heartbeat.sql
\ir functions/protocol/gather.sql
\ir functions/protocol/claim.sql
\ir functions/protocol/peek.sql
\ir functions/protocol/peek_lanes.sql
\ir functions/protocol/intent.sql
\ir functions/protocol/late_answers.sql
\ir functions/protocol/complete.sql
\ir functions/protocol/rescue.sql
\ir functions/protocol/quiet_hubs.sql
\ir functions/operations/partitions.sql
\ir functions/operations/cancel.sql
\ir functions/operations/take_back.sql
\ir functions/operations/cancel_many.sql
\ir functions/operations/retry.sql
\ir functions/enqueue/own_messages.sql
\ir functions/enqueue/dedupe_keys.sql
\ir functions/enqueue/replace.sql
\ir functions/enqueue/retry_own.sql
\ir functions/operations/resolve.sql
\ir functions/operations/erase.sql
\ir functions/protocol/expire_unserved.sql
\ir functions/operations/forget.sql
\ir functions/operations/purge.sql
\ir functions/operations/ended.sql
\ir functions/devices/change_devices.sql
\ir functions/devices/apply_devices.sql
\ir functions/devices/forget_devices.sql
\ir functions/devices/templates.sql
\ir functions/devices/reach.sql
\ir functions/campaigns/run_state.sql
\ir functions/campaigns/run_events.sql
\ir functions/campaigns/stop_runs.sql
\ir functions/campaigns/stop_batch.sql
\ir functions/campaigns/give_back.sql
\ir functions/campaigns/run_contents.sql
\ir functions/campaigns/slices.sql
\ir functions/campaigns/specs.sql
\ir functions/campaigns/archive.sql
\ir functions/campaigns/campaign_tags.sql
\ir functions/campaigns/audience_read.sql
\ir functions/campaigns/audiences.sql
\ir functions/campaigns/recipients.sql
\ir functions/campaigns/lists.sql
\ir functions/campaigns/suppression.sql
\ir functions/campaigns/start.sql
\ir functions/campaigns/expand.sql
\ir functions/campaigns/steer.sql
\ir functions/campaigns/retry_run.sql
\ir functions/campaigns/run_results.sql
\ir functions/campaigns/update_runs.sql
\ir functions/campaigns/open_runs.sql
\ir functions/campaigns/sums.sql
\ir functions/campaigns/check_campaign.sql
\ir functions/campaigns/fire.sql
\ir functions/campaigns/canary.sql
\ir functions/campaigns/approve.sql
\ir functions/campaigns/standing.sql
\ir functions/campaigns/test_campaign.sql
\ir functions/campaigns/reached.sql
\ir functions/campaigns/caps.sql
\ir functions/campaigns/stand_ins.sql
\ir functions/campaigns/windows.sql
\ir functions/campaigns/local_runs.sql
\ir views/messages.sql
\ir views/gone.sql
\ir functions/operations/find_messages.sql
\ir functions/operations/search_messages.sql
\ir functions/operations/story.sql
\ir functions/operations/groups.sql
\ir views/operations.sql
\ir views/hubs.sql
\ir functions/operations/checks.sql
\ir views/estimate.sql
\ir views/locks.sql
\ir views/check.sql
\ir views/devices.sql
\ir functions/devices/cancel_devices.sql
\ir functions/campaigns/progress.sql
\ir views/campaigns.sql
\ir functions/campaigns/schedules.sql
\ir functions/campaigns/find_campaigns.sql
\ir views/pulse.sql
\ir roles.sql
\ir release.sql
SELECT push.make_partitions();                 -- fanfare migrate up does this after its commit
COMMIT;
\o
