-- Ids of posts: the claim in front, the number within the claim behind. So the primary key of push.post also finds the
-- posts of a claim, and a result's post contains its claim. Number 0 is no post: the message left its claim without one.

CREATE OR REPLACE FUNCTION push_internal.post_id(claim bigint, n int) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN claim * 10000 + n;
COMMENT ON FUNCTION push_internal.post_id IS 'Id of post n (1 to 9,999) of a claim.';

CREATE OR REPLACE FUNCTION push.claim_of(post bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN post / 10000;
COMMENT ON FUNCTION push.claim_of IS 'The claim that a post belongs to.';

CREATE OR REPLACE FUNCTION push_internal.no_post(claim bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN claim * 10000;
COMMENT ON FUNCTION push_internal.no_post IS
    'What push.result.post says of a message that left this claim without a post.';

CREATE OR REPLACE FUNCTION push.is_no_post(post bigint) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN post % 10000 = 0;
COMMENT ON FUNCTION push.is_no_post IS
    'Whether the message left its claim without a post (push_internal.no_post). Null: decided outside a claim.';

CREATE OR REPLACE FUNCTION push.first_post(claim bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN claim * 10000 + 1;
COMMENT ON FUNCTION push.first_post IS 'The lowest id that a post of this claim can have.';

CREATE OR REPLACE FUNCTION push.last_post(claim bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN claim * 10000 + 9999;
COMMENT ON FUNCTION push.last_post IS 'The highest id that a post of this claim can have.';
