-- Fanfare, migration 10: The grammar of tags and tag expressions.

SELECT pg_advisory_xact_lock(7310868735422034533);      -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

CREATE FUNCTION push.refuse_tag(tag text) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
-- A tag expression: expr := and ("||" and)*; and := unary ("&&" unary)*; unary := "!" unary | "(" expr ")" | tag.
-- One pass over it suffices: it tracks what may come next, and how deep we are. The rules are those of TagExpression in
-- PushModel, and a test compares the two.
DECLARE
    rest text := tag; token text; at int := 1; tags int := 0; only_or boolean := true; wants_tag boolean := true; wrong text;
    depths int[] := '{0}';    -- depth inside each open parenthesis, outermost first
    depth int := 0;           -- parentheses and ! around what comes next
BEGIN
    IF octet_length(tag) > 4096 THEN
        wrong := format('it has %s bytes, 4,096 are allowed', octet_length(tag));
    ELSIF btrim(tag) = '' THEN
        wrong := 'it is empty; to reach everyone set broadcast';
    END IF;
    WHILE wrong IS NULL AND rest <> '' LOOP
        token := substring(rest COLLATE "C" FROM '^(?: +|&&|\|\||[!()]|\$(?:InstallationId|UserId):\{[A-Za-z0-9_@#.:=-]+\}|[A-Za-z0-9_@#.:-]+)');
        IF token IS NULL THEN
            wrong := CASE
                WHEN rest ~ '^[[:cntrl:]]' THEN format('character %s is a control character; between tags a blank is enough', at)
                WHEN rest ~ '^["'']' THEN format('character %s is a quotation mark; tags are written without', at)
                WHEN rest ~ '^[&|]' THEN format('character %s is a single %s; the operators are && and ||', at, left(rest, 1))
                WHEN rest ~ '^\$' THEN format('character %s begins neither $InstallationId:{...} nor $UserId:{...}', at)
                ELSE format('character %s (%s) is not allowed in a tag', at, left(rest, 1)) END;
        ELSIF token ~ '^ ' THEN
            NULL;
        ELSIF wants_tag AND token = '!' THEN
            only_or := false;
            depth := depth + 1;
        ELSIF wants_tag AND token = '(' THEN
            depth := depth + 1;
            depths := depths || depth;
        ELSIF wants_tag AND token NOT IN (')', '&&', '||') THEN
            tags := tags + 1;
            wants_tag := false;
            depth := depths[cardinality(depths)];
            IF octet_length(token) > 120 THEN
                wrong := format('a tag of %s characters at %s, 120 are allowed', octet_length(token), at);
            END IF;
        ELSIF NOT wants_tag AND token = ')' AND cardinality(depths) > 1 THEN
            depths := trim_array(depths, 1);
            depth := depths[cardinality(depths)];
        ELSIF NOT wants_tag AND token IN ('&&', '||') THEN
            wants_tag := true;
            only_or := only_or AND token = '||';
        ELSE
            wrong := format('%s at character %s is not expected there', token, at);
        END IF;
        IF depth > 32 THEN wrong := 'parentheses and ! are nested deeper than 32'; END IF;
        at := at + length(token);
        rest := substr(rest, length(token) + 1);
    END LOOP;
    IF wrong IS NULL AND wants_tag THEN wrong := 'it ends where a tag is expected';
    ELSIF wrong IS NULL AND cardinality(depths) > 1 THEN wrong := 'a closing parenthesis is missing';
    ELSIF wrong IS NULL AND tags > 20 THEN wrong := format('it has %s tags, 20 are allowed', tags);
    ELSIF wrong IS NULL AND NOT only_or AND tags > 6 THEN wrong := format('it has %s tags, 6 are allowed with && or !, 20 with || alone', tags);
    END IF;
    IF wrong IS NULL THEN RETURN true; END IF;
    RAISE EXCEPTION USING ERRCODE = 'check_violation', SCHEMA = 'push', TABLE = 'message', COLUMN = 'tag', CONSTRAINT = 'tag_is_a_tag_or_an_expression',
        MESSAGE = format('push.message.tag %s: %s', left(to_json(tag)::text, 100), wrong),
        HINT = 'A tag has 1 to 120 of A-Z a-z 0-9 _ @ # . : - ; an expression joins tags with ||, && and !. Try one with: fanfare tags check ''...''';
END $$;
COMMENT ON FUNCTION push.refuse_tag IS
    'True for a valid tag expression; otherwise raises and says what is wrong at which character.';

INSERT INTO push.migration (version, name) VALUES (10, 'refuse_tags');
