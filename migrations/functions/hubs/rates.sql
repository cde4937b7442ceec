-- How fast all workers together may post.

CREATE OR REPLACE FUNCTION push.seconds_between(start timestamptz, stop timestamptz) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
    WHEN start IS NOT NULL AND stop IS NOT NULL
    THEN least(greatest(date_part('epoch', stop) - date_part('epoch', start), -86400), 86400)
END;
COMMENT ON FUNCTION push.seconds_between IS
    'Seconds from start to stop, at most a day either way, so that an infinite time raises no error.';

-- How fast all workers together may post: what a person or the configuration allows, and less for three minutes after
-- the hub throttled. Computed from the time of the throttling, so that no worker has to write while the limit grows.
CREATE OR REPLACE FUNCTION push.throttled_rate(slowed_to double precision, seconds double precision) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
    WHEN seconds < 180
    THEN slowed_to * power(2, greatest(0, seconds) / 30)
END;
COMMENT ON FUNCTION push.throttled_rate IS
    'The limit in posts per second, this many seconds after a hub throttled and was slowed to slowed_to: it doubles '
    'every 30 s. Null after three minutes: no limit.';

CREATE OR REPLACE FUNCTION push.current_rate(ceiling double precision, slowed_to double precision, seconds double precision)
RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce(least(nullif(ceiling, 0), push.throttled_rate(slowed_to, seconds)), 0);
COMMENT ON FUNCTION push.current_rate IS
    'Posts per second; 0: no limit. ceiling: the limit set by a person or the configuration (0: none); slowed_to, '
    'seconds: as in push.throttled_rate.';

CREATE OR REPLACE FUNCTION push.ramped_rate(
    rate double precision, seconds double precision, ramp_seconds double precision) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
    WHEN rate > 0 AND ramp_seconds > 0 AND seconds < ramp_seconds
    THEN least(rate, greatest(1, rate * seconds / ramp_seconds))
    ELSE rate
END;
COMMENT ON FUNCTION push.ramped_rate IS
    'The limit in posts per second, this many seconds after posts began again at a hub with rampSeconds: it grows '
    'evenly from 1 to rate (0: no limit) over ramp_seconds (0: at once).';

CREATE OR REPLACE FUNCTION push.pace_of(pace push.hub_pace, paced_from timestamptz) RETURNS push.hub_pace
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT pace.hub,
           CASE WHEN t.counts THEN pace.tokens END,
           CASE WHEN t.counts THEN pace.tokens_at END,
           CASE WHEN s.counts THEN pace.slowed_to END,
           CASE WHEN s.counts THEN pace.slowed_at END,
           CASE WHEN s.counts THEN pace.slowed_why END,
           pace.ramp_from
      FROM (SELECT (pace.tokens_at < paced_from) IS NOT TRUE AS counts) t,
           (SELECT (pace.slowed_at < paced_from) IS NOT TRUE AS counts) s
$$;
COMMENT ON FUNCTION push.pace_of IS
    'What still counts of a row of push.hub_pace: nothing from before push.hub_state.paced_from.';

CREATE OR REPLACE FUNCTION push_worker.slow_down_v1(
    hub        int,
    configured double precision,
    measured   double precision,
    age        double precision,
    why        text)
RETURNS double precision
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s' AS $$
DECLARE
    state   push.hub_state;
    pace    push.hub_pace;
    moment  timestamptz;
    allowed double precision;
    used    double precision;
    half    double precision;
BEGIN
    SELECT p.* INTO pace
      FROM push.hub_pace p
     WHERE p.hub = slow_down_v1.hub
       FOR NO KEY UPDATE;
    SELECT s.* INTO state FROM push.hub_state s WHERE s.hub = slow_down_v1.hub;
    moment := clock_timestamp();                -- read behind the lock: another worker may just have done it
    pace := push.pace_of(pace, state.paced_from);
    -- A post that left before the last slow-down says nothing about the speed since; nor does the second after it.
    IF pace.slowed_at > moment - make_interval(secs => greatest(age, 1)) THEN
        RETURN NULL;
    END IF;
    allowed := push.current_rate(
        coalesce(state.rate, configured), pace.slowed_to, push.seconds_between(pace.slowed_at, moment));
    SELECT sum(v.rate) INTO used
      FROM push.serving v
      JOIN push.worker w ON w.id = v.worker
     WHERE v.hub = slow_down_v1.hub
       AND push.is_alive(w.beat_at, w.lease_seconds);
    half := greatest(1, least(nullif(allowed, 0), greatest(measured, used, 20)) / 2);
    UPDATE push.hub_pace p
       SET slowed_to = half,
           slowed_at = moment,
           slowed_why = why,
           tokens = 0,
           tokens_at = moment
     WHERE p.hub = slow_down_v1.hub;
    RETURN half;
END $$;
COMMENT ON FUNCTION push_worker.slow_down_v1 IS
    'Call it when the hub throttled a post that left age seconds ago. All workers together slow down to the returned '
    'posts per second: half of what was allowed, and of no more than the hub took lately (measured by the caller and '
    'push.serving; taken as at least 20). Never below 1. Null: the workers have already slowed down for that.';

-- A rate limit for all workers together: a token bucket, one token per post. It fills at the rate, up to one second's
-- worth. A worker takes several tokens at a time, so this row is locked a few times a second and not once per post.
CREATE OR REPLACE FUNCTION push_internal.take_from_bucket(
    tokens        double precision,
    seconds       double precision,
    rate          double precision,
    wanted        int,
    OUT granted   int,
    OUT remaining double precision,
    OUT wait      double precision)
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT g.granted,
           b.level - g.granted,
           CASE
               WHEN g.granted >= take_from_bucket.wanted THEN 0
               ELSE (1 - (b.level - g.granted)) / take_from_bucket.rate
           END
      FROM (SELECT least(
                       greatest(1, take_from_bucket.rate),
                       coalesce(take_from_bucket.tokens, greatest(1, take_from_bucket.rate))
                           + greatest(0, coalesce(take_from_bucket.seconds, 0)) * take_from_bucket.rate) AS level) b,
           LATERAL (SELECT greatest(0, least(take_from_bucket.wanted, floor(b.level)))::int AS granted) g;
END;
COMMENT ON FUNCTION push_internal.take_from_bucket IS
    'The arithmetic of a token bucket that had this many tokens, this many seconds ago (null: it is full): how many '
    'are granted, how many remain, and in how many seconds the next one comes (0: all wanted tokens are granted).';

CREATE OR REPLACE FUNCTION push_worker.take_tokens_v1(
    hub          int,
    configured   double precision,
    wanted       int,
    ramp_seconds double precision DEFAULT 0,
    OUT granted  int,
    OUT wait     double precision)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s' AS $$
DECLARE
    state  push.hub_state;
    pace   push.hub_pace;
    b      record;
    moment timestamptz;
    speed  double precision;
BEGIN
    SELECT p.* INTO pace
      FROM push.hub_pace p
     WHERE p.hub = take_tokens_v1.hub
       FOR NO KEY UPDATE;
    SELECT s.* INTO state FROM push.hub_state s WHERE s.hub = take_tokens_v1.hub;
    moment := clock_timestamp();                -- read behind the lock: it may have kept us waiting
    pace := push.pace_of(pace, state.paced_from);
    speed := push.current_rate(
        coalesce(state.rate, configured), pace.slowed_to, push.seconds_between(pace.slowed_at, moment));
    IF speed <= 0 THEN
        granted := wanted;
        wait := 0;
        RETURN;
    END IF;
    IF ramp_seconds > 0 THEN
        IF pace.ramp_from IS NULL OR pace.tokens_at IS NULL OR pace.tokens_at < moment - interval '1 minute' THEN
            pace.ramp_from := moment;
            pace.tokens := 1;                   -- not the second's worth that a quiet minute has left
            pace.tokens_at := moment;
        END IF;
        speed := push.ramped_rate(speed, push.seconds_between(pace.ramp_from, moment), ramp_seconds);
    END IF;
    b := push_internal.take_from_bucket(pace.tokens, push.seconds_between(pace.tokens_at, moment), speed, wanted);
    UPDATE push.hub_pace p
       SET tokens = b.remaining,
           tokens_at = moment,
           ramp_from = pace.ramp_from
     WHERE p.hub = take_tokens_v1.hub;
    granted := b.granted;
    wait := b.wait;
END $$;
COMMENT ON FUNCTION push_worker.take_tokens_v1 IS
    'How many of the wanted posts may leave to a hub with a rate: configured, unless push.hub_state.rate is set, and '
    'less after the hub throttled (push.current_rate) and, with ramp_seconds, in the first seconds after a minute without '
    'posts (push.ramped_rate). wait: seconds until the next one.';

CREATE OR REPLACE FUNCTION push_worker.return_tokens_v1(hub int, n int) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s' AS $$
    UPDATE push.hub_pace p
       SET tokens = p.tokens + return_tokens_v1.n
     WHERE p.hub = return_tokens_v1.hub
       AND p.tokens IS NOT NULL
$$;
COMMENT ON FUNCTION push_worker.return_tokens_v1 IS
    'Gives back tokens that were taken and not used. What exceeds one second''s worth is lost at the next take.';
