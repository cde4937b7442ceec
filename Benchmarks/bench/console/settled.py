"""Statements that write what workers and people would have written: results, runs that are over, entries of the audit."""
from __future__ import annotations

DOUBTS_IN = 500
# Messages of a claim, each alone in its post.
CLAIM = 1_000
MINUTES = 60
RUNS = 10


def settle(first: int, last: int, failures_in: int) -> str:
    """The results of some messages, with their posts and answers: at each hub one in so many has failed for good, and one in 500 is in
    doubt. A claim has a thousand of them."""
    return f"""
        BEGIN;
        SET LOCAL synchronous_commit = off;
        SELECT setval('push.claim_id', greatest((SELECT last_value FROM push.claim_id), {last // CLAIM + 2}));
        CREATE TEMPORARY TABLE settled ON COMMIT DROP AS
        SELECT m.id, h.id AS hub, m.tag, (m.id / {CLAIM} + 1) * 10000 + m.id % {CLAIM} + 1 AS post,
               CASE WHEN k.n % {DOUBTS_IN} = 0 THEN 'in_doubt'
                    WHEN k.n % {failures_in} = 1 THEN CASE WHEN k.why = 1 THEN 'expired' ELSE 'rejected' END
                    ELSE 'accepted' END::push.status AS status,
               (ARRAY['expired', 'bad_request', 'target_gone', 'too_large'])[k.why]::push.reason AS why
          FROM push.message m JOIN push.hub h ON h.name = m.hub,
               LATERAL (SELECT m.id / 100 + m.id, m.id / 500 % 4 + 1) k(n, why)  -- the hub of a message is its number modulo 100
         WHERE m.id BETWEEN {first} AND {last};
        INSERT INTO push.post (id, bytes, hub, target, ids)
        SELECT s.post, 400, s.hub, s.tag, ARRAY[s.id] FROM settled s WHERE s.status <> 'expired';
        INSERT INTO push.answer (post, milliseconds, verdict, http, tracking_id, error)
        SELECT s.post, 20 + s.id % 100, 'rejected', 400, md5(s.id::text),
               'hub replied 400: the body of post ' || s.post || ' is refused for "' || s.why || '"'
          FROM settled s WHERE s.status = 'rejected';
        WITH arrival AS MATERIALIZED (SELECT push_internal.next_arrival() AS n)
        INSERT INTO push.result (id, post, arrival, status, reason, milliseconds, http, tracking_id, note)
        SELECT s.id, CASE WHEN s.status <> 'expired' THEN s.post END, a.n, s.status,
               CASE s.status WHEN 'accepted' THEN 'taken_by_hub' WHEN 'in_doubt' THEN 'answer_lost' ELSE s.why END,
               CASE s.status WHEN 'accepted' THEN 20 + s.id % 100 END, CASE s.status WHEN 'accepted' THEN 201 END,
               CASE s.status WHEN 'accepted' THEN md5(s.id::text) END,
               CASE s.status WHEN 'in_doubt' THEN 'no answer within 30 s' END
          FROM settled s, arrival a;
        COMMIT;"""


def expanded(messages: int) -> str:
    """The first messages of a run under way, as workers make them ahead."""
    return f"""
        DO $$ DECLARE made bigint := 0; BEGIN
            WHILE made < {messages} LOOP
                made := made + (SELECT e.rows FROM push.stream t, push_worker.expand_v1(t.id, least(10000, {messages})) e
                                 WHERE t.done_at IS NULL);
                COMMIT;
            END LOOP;
        END $$"""


def tally(messages: int) -> str:
    """As many results in the minutes of the last hour, of each hub."""
    return f"""
        INSERT INTO push.tally (hub, minute, status, reason, n)
        SELECT h.id, date_trunc('minute', now()) - m * interval '1 minute', o.status::push.status, o.reason::push.reason,
               greatest({messages} * o.share / {MINUTES} / (SELECT count(*) FROM push.hub), 1)
          FROM push.hub h, generate_series(0, {MINUTES - 1}) m,
               (VALUES ('accepted', 'taken_by_hub', 0.8), ('rejected', 'bad_request', 0.1), ('rejected', 'target_gone', 0.1))
                   o(status, reason, share)"""


def run_history() -> str:
    """Ten runs of each campaign, of a thousand messages each; all are over and counted."""
    return f"""
        BEGIN;
        INSERT INTO push.run (campaign, revision, key, estimate, state, ended_at, closed_at)
        SELECT c.id, c.revision, 'day ' || n, 1000, 'done', now(), now() FROM push.campaign c, generate_series(1, {RUNS}) n
         ORDER BY n, c.id;
        INSERT INTO push.stream (run, hub, priority, expanded, slices, done_at)
        SELECT r.id, (SELECT min(h.id) FROM push.hub h), 2, 1000, 1, now() FROM push.run r ORDER BY r.id;
        INSERT INTO push.slice (stream, n, first_id, last_id, rows, due_from, due_to)
        SELECT t.id, 1, t.id * 1000, t.id * 1000 + 999, 1000, now(), now() FROM push.stream t;
        INSERT INTO push.slice_count (stream, n, status, reason, rows)
        SELECT t.id, 1, o.status::push.status, o.reason::push.reason, o.n
          FROM push.stream t, (VALUES ('accepted', 'taken_by_hub', 990), ('rejected', 'target_gone', 10)) o(status, reason, n);
        COMMIT;"""


def audit(entries: int) -> str:
    """What three people did."""
    return f"""
        INSERT INTO push.audit (at, who, person, action, detail)
        SELECT clock_timestamp() - interval '7 days' + n * interval '1 ms', 'fanfare_console', (ARRAY['ana', 'ben', 'eve'])[n % 3 + 1],
               (ARRAY['cancel', 'retry', 'pause_hub', 'resume_hub'])[n % 4 + 1],
               json_build_object('hub', 'news', 'messages', n % 100, 'note', 'as agreed')
          FROM generate_series(1, {entries}) n"""
