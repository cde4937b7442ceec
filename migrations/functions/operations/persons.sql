-- Who acts, where people share the login of a console: it names the person of each transaction in the setting push.person.

CREATE OR REPLACE FUNCTION push_internal.may_name_persons() RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
RETURN coalesce(
    pg_has_role(session_user, to_regrole('push_console'),
                -- From PostgreSQL 16 on, the maker of a role is a member that may not become it.
                CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET' ELSE 'MEMBER' END)
    AND NOT (SELECT r.rolsuper FROM pg_roles r WHERE r.rolname = session_user),         -- superusers pass as members of all
    false);
COMMENT ON FUNCTION push_internal.may_name_persons IS
    'Whether the login, whichever role it has set, is a member of push_console. A superuser is not.';

-- Listed, because a class such as [:cntrl:] depends on the locale of the database: blanks other than the usual one, control and
-- format characters, letters and marks without a glyph, private use. Two names that look the same are one person to a reader.
CREATE OR REPLACE FUNCTION push_internal.is_name_of_person(name text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN length(name) BETWEEN 1 AND 200
    AND name <> 'schedule'                                                              -- push.run.started_by
    AND name COLLATE "C" !~ '^ | $|  '
    AND name COLLATE "C" !~ '[\u0001-\u001f\u007f-\u00a0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ue000-\uf8ff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff\U000e0000-\U0010ffff]';
COMMENT ON FUNCTION push_internal.is_name_of_person IS
    'Whether a text can name a person: 1 to 200 visible characters, with single blanks between words. Not schedule, which '
    'starts runs, too.';

CREATE OR REPLACE FUNCTION push_internal.refuse_person(name text) RETURNS void
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT push_internal.is_name_of_person(name) THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('push.person: %s does not name a person', push_internal.quoted(name, 80)),
            HINT = 'A name has 1 to 200 visible characters, with single blanks between words. "schedule" is what starts runs by '
                   'itself.';
    END IF;
END $$;
COMMENT ON FUNCTION push_internal.refuse_person IS 'Raises for a setting push.person that cannot name a person.';

CREATE OR REPLACE FUNCTION push_internal.may_be_one(
    by text, login text, is_person boolean, other_by text, other_login text, other_is_person boolean) RETURNS boolean
LANGUAGE sql IMMUTABLE
RETURN by = other_by
    OR (is_person OR other_is_person) AND lower(normalize(by, NFKC)) = lower(normalize(other_by, NFKC))
    OR NOT (is_person AND other_is_person) AND login = other_login;
COMMENT ON FUNCTION push_internal.may_be_one IS
    'Whether what two sessions did may be the work of one person. Where both logins named one (is_person), the names decide, '
    'whatever their case: people behind one console are several. Else the same role or the same login is enough.';
