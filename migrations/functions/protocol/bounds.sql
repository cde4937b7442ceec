-- What bounds a claim: said once, for the claim, for gathering and for push_worker.peek_v1.

CREATE OR REPLACE FUNCTION push_internal.most_pointers() RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 1000;
COMMENT ON FUNCTION push_internal.most_pointers IS 'Pointers of a claim at most, and pointers of contents with a key that it gathers.';

CREATE OR REPLACE FUNCTION push_internal.most_messages() RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 5000;
COMMENT ON FUNCTION push_internal.most_messages IS 'Messages of a claim at most, but for those of its first pointer.';

CREATE OR REPLACE FUNCTION push_internal.most_bytes() RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 8000000;
COMMENT ON FUNCTION push_internal.most_bytes IS
    'Bytes of contents and handles of a claim at most (push_internal.bytes_of), but for those of its first pointer.';

CREATE OR REPLACE FUNCTION push_internal.most_translations() RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 100;
COMMENT ON FUNCTION push_internal.most_translations IS 'Translations of a content with a key at most.';

CREATE OR REPLACE FUNCTION push_internal.most_waits() RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 200;
COMMENT ON FUNCTION push_internal.most_waits IS
    'Waits that a claim looks at. A look takes 0.1 ms, and messages that wait for nothing are claimed behind them.';
