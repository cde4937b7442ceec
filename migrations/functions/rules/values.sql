-- The rules of single values of push.message, what a hub does not take, and what no list is.

-- Each push_internal.wrong_... returns what is wrong with values of one row; null: nothing. None of them raises, because an
-- error shows the text of every statement it passes through: the trigger push_internal.enqueued finds the first problem with one
-- statement, and raises after its end. So a backend reads two lines and a hint. The functions are SQL where a usual
-- value is decided, so that PostgreSQL puts their tests into that statement; only rare values cost a call.
CREATE OR REPLACE FUNCTION push_internal.is_usual_time(send_at timestamptz, expires_at timestamptz) RETURNS boolean
LANGUAGE sql STABLE
RETURN send_at BETWEEN statement_timestamp() - interval '1 hour' AND '2200-01-01 00:00+00'
       AND (expires_at IS NULL
            OR expires_at > greatest(send_at, statement_timestamp())
               AND expires_at <= send_at + interval '8784 hours');
COMMENT ON FUNCTION push_internal.is_usual_time IS
    'Whether a message may certainly be sent from send_at to expires_at, and is not late already.';

CREATE OR REPLACE FUNCTION push_internal.wrong_time(send_at timestamptz, expires_at timestamptz) RETURNS push.problem
LANGUAGE sql STABLE
RETURN CASE
    WHEN push_internal.is_usual_time(send_at, expires_at) THEN NULL
    WHEN send_at NOT BETWEEN '2000-01-01 00:00+00' AND '2200-01-01 00:00+00' THEN ROW (
        'send_at', 'send_at_is_a_date',
        format('push.message.send_at "%s" is not between 2000 and 2200', send_at),
        'Leave it out to send now.')::push.problem
    WHEN expires_at <= send_at THEN ROW (
        'expires_at', 'expires_at_is_after_send_at',
        format('push.message.expires_at "%s" is not after send_at', expires_at),
        'Leave it out for send_at plus the hub''s expireAfterSeconds.')::push.problem
    WHEN expires_at > send_at + interval '8784 hours' THEN ROW (
        'expires_at', 'expires_at_is_at_most_366_days_after_send_at',
        format('push.message.expires_at "%s" is more than 366 days after send_at', expires_at),
        'Leave it out for send_at plus the hub''s expireAfterSeconds.')::push.problem
END;
COMMENT ON FUNCTION push_internal.wrong_time IS
    'The problem of send_at or expires_at; null: none. At most 366 days lie between them, so that a message that its '
    'hub never takes ends by itself and does not keep its partition.';

CREATE OR REPLACE FUNCTION push_internal.is_locale(locale text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN octet_length(locale) <= (push_internal.locale_rule() ->> 'longest')::int
       AND lower(locale COLLATE "C") ~ ('^(?:' || (push_internal.locale_rule() ->> 'pattern') || ')$');
COMMENT ON FUNCTION push_internal.is_locale IS
    'Whether a text is well-formed by RFC 5646 and not too long; LocaleTag in Swift takes the same. Null: null.';

CREATE OR REPLACE FUNCTION push_internal.wrong_locale(locale text) RETURNS push.problem
LANGUAGE sql STABLE
RETURN CASE
    WHEN NOT push_internal.is_locale(locale) THEN ROW (
        'locale', 'locale_is_bcp_47',
        CASE
            WHEN octet_length(locale) > (push_internal.locale_rule() ->> 'longest')::int
            THEN format('push.message.locale has %s bytes, %s are allowed', octet_length(locale), push_internal.locale_rule() ->> 'longest')
            ELSE format('push.message.locale %s is not a BCP 47 language tag', to_json(locale))
        END,
        'Write fr, fr-CA or zh-Hans (with -, not _); leave it out for a content without a language.')::push.problem
END;
COMMENT ON FUNCTION push_internal.wrong_locale IS 'The problem of locale; null: none.';

CREATE OR REPLACE FUNCTION push_internal.wrong_options(priority smallint, on_doubt text, traceparent text, meta json) RETURNS push.problem
LANGUAGE sql STABLE
RETURN CASE
    WHEN priority NOT IN (0, 1, 2) THEN ROW (
        'priority', 'priority_is_0_urgent_1_normal_or_2_bulk',
        format('push.message.priority %s is not 0, 1 or 2', priority),
        '0 is urgent, 1 normal, 2 bulk.')::push.problem
    WHEN on_doubt NOT IN ('hold', 'resend') THEN ROW (
        'on_doubt', 'on_doubt_is_hold_or_resend',
        format('push.message.on_doubt %s is neither hold nor resend', push_internal.quoted(on_doubt, 60)),
        'hold: a person decides; resend: a device may get it twice; leave it out for the hub''s onDoubt.')::push.problem
    -- W3C Trace Context: no version ff, no id of zeros only.
    WHEN traceparent COLLATE "C" !~ '^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$'
         OR traceparent COLLATE "C" ~ '^ff|-0+-' THEN ROW (
        'traceparent', 'traceparent_is_w3c',
        format('push.message.traceparent %s is not a W3C trace context', push_internal.quoted(traceparent, 60)),
        'It looks like 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01; leave it out without a trace.')::push.problem
    WHEN octet_length(meta::text) > 8192 THEN ROW (
        'meta', 'meta_has_at_most_8_kb',
        format('push.message.meta has %s bytes', octet_length(meta::text)),
        'At most 8,192 are allowed.')::push.problem
END;
COMMENT ON FUNCTION push_internal.wrong_options IS
    'The problem of priority, on_doubt, traceparent or meta; null: none.';

CREATE OR REPLACE FUNCTION push_internal.is_name(value text) RETURNS boolean
LANGUAGE sql IMMUTABLE
RETURN length(value) <= 200 AND value COLLATE "C" ~ '[^[:space:]]';
COMMENT ON FUNCTION push_internal.is_name IS
    'Whether a text is a name or key: 1 to 200 characters, not only blanks. Null of null.';

CREATE OR REPLACE FUNCTION push_internal.said(words text) RETURNS text
LANGUAGE sql IMMUTABLE
RETURN CASE WHEN words COLLATE "C" ~ '[^[:space:]]' THEN btrim(words) END;
COMMENT ON FUNCTION push_internal.said IS
    'A reason or note that a person gave; null: nothing, or only blanks.';

CREATE OR REPLACE FUNCTION push_internal.wrong_name(col text, value text) RETURNS push.problem
LANGUAGE sql IMMUTABLE
RETURN CASE
    WHEN NOT push_internal.is_name(value) THEN ROW (
        col, 'names_have_1_to_200_characters',
        format('push.message.%s %s', col, CASE
            WHEN value = '' THEN 'is empty'
            WHEN length(value) > 200 THEN format('has %s characters, 200 are allowed', length(value))
            ELSE 'has only blanks'
        END),
        CASE
            WHEN length(value) > 200 THEN 'Longer texts fit into meta.'
            ELSE format('An empty text is not a value: leave %s out, or write NULL.', col)
        END)::push.problem
END;
COMMENT ON FUNCTION push_internal.wrong_name IS 'The problem of a name or key; null: none.';

CREATE OR REPLACE FUNCTION push_internal.wrong_names(content_key text, dedupe_key text, campaign text, run text, tenant text)
RETURNS push.problem
LANGUAGE sql STABLE
RETURN CASE
    WHEN (push_internal.is_name(content_key) AND push_internal.is_name(dedupe_key) AND push_internal.is_name(campaign)
          AND push_internal.is_name(run) AND push_internal.is_name(tenant)) IS FALSE
    THEN coalesce(
        push_internal.wrong_name('content_key', content_key),
        push_internal.wrong_name('dedupe_key', dedupe_key),
        push_internal.wrong_name('campaign', campaign),
        push_internal.wrong_name('run', run),
        push_internal.wrong_name('tenant', tenant))
END;
COMMENT ON FUNCTION push_internal.wrong_names IS 'The problem of a key, campaign, run or tenant; null: none.';

CREATE OR REPLACE FUNCTION push_internal.is_language_of(locale text, language text) RETURNS boolean
LANGUAGE sql IMMUTABLE
RETURN lower(locale COLLATE "C") = lower(language COLLATE "C")
       OR starts_with(lower(locale COLLATE "C"), lower(language COLLATE "C") || '-');
COMMENT ON FUNCTION push_internal.is_language_of IS
    'Whether a locale is this language of a hub, or a variant of it: fr-CA of fr.';

-- What follows is asked of rare rows only. With a search_path PostgreSQL does not put it into the statement that calls it, which
-- would pay for it at every row.
CREATE OR REPLACE FUNCTION push_internal.language_of(languages text[], locale text) RETURNS text
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE
               WHEN (SELECT bool_or(push_internal.is_language_of(l.name, locale)) FROM unnest(languages) l(name))
               THEN lower(locale COLLATE "C")
               ELSE (SELECT lower(l.name COLLATE "C")
                       FROM unnest(languages) l(name)
                      WHERE push_internal.is_language_of(locale, l.name)
                      ORDER BY length(l.name) DESC
                      LIMIT 1)
           END
$$;
COMMENT ON FUNCTION push_internal.language_of IS
    'Which of a hub''s languages a text in this locale is for, in lower case (RFC 4647, lookup): of fr-CA it is fr, if that is '
    'the nearest. A locale that is less specific than a language stands for itself: zh fills zh-Hans and zh-Hant. Null: the hub '
    'has no language for it. Translations in Swift uses the same rule.';

CREATE OR REPLACE FUNCTION push_internal.has_language(language text, languages text[], locales text[]) RETURNS boolean
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(bool_or(push_internal.is_language_of(language, push_internal.language_of(languages, u.locale))), false)
      FROM unnest(locales) u(locale)
$$;
COMMENT ON FUNCTION push_internal.has_language IS
    'Whether a language of a hub gets a text from one of these locales, without the fallback.';

CREATE OR REPLACE FUNCTION push_internal.locale_tag(languages text[], locale text) RETURNS text
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT 'locale_' || coalesce(
               (SELECT l.name
                  FROM unnest(languages) l(name)
                 WHERE push_internal.is_language_of(locale, l.name)
                 ORDER BY length(l.name) DESC
                 LIMIT 1),
               regexp_replace(locale, '^([A-Za-z0-9]{2,8}(-[A-Za-z0-9]{2,8})*)-[A-Za-z0-9]-.*$', '\1'))
$$;
COMMENT ON FUNCTION push_internal.locale_tag IS
    'The tag, but for its case, that a hub localised by tags adds for a locale: that of its nearest language, else that of the '
    'locale without extensions.';

CREATE OR REPLACE FUNCTION push_internal.unknown_hub(hub text) RETURNS int
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM set_config('push.unknown_hub', 'true', true);     -- not the name: an empty one would read as no note
    RETURN 0;
END $$;
COMMENT ON FUNCTION push_internal.unknown_hub IS
    'Takes a note, until the end of the transaction, that a row names a hub that is not registered.';

CREATE OR REPLACE FUNCTION push_internal.wrong_for_hub(hub push.hub, rule text, col text, value text) RETURNS push.problem
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT wrong_for_hub.col, wrong_for_hub.rule,
           format('push.message.%s%s', wrong_for_hub.col, format(p.message, hub.name, coalesce(value, 'everyone'))),
           p.hint
      FROM (VALUES
               ('broadcast_is_allowed',
                ': hub "%s" does not allow messages to everyone',
                'Name a tag, or set allowBroadcast for the hub in the configuration and run: fanfare migrate up'),
               ('payload_is_in_one_language',
                ': a payload of format "%2$s" is in one language, and hub "%1$s" is localised by properties, which '
                'only templates have',
                CASE col
                    WHEN 'locale'
                    THEN 'Leave locale out and let the device translate (title-loc-key for apple, title_loc_key for '
                         'fcmv1), or use format template.'
                    ELSE 'Leave content_key out: it joins translations. To enqueue a message only once give dedupe_key.'
                END),
               ('locale_is_a_language_of_the_hub',
                ' "%2$s": hub "%1$s" has no language for it',
                CASE hub.languages
                    WHEN '{}'
                    THEN format('The hub has no languages: set hubs.%s.languages, or leave locale out.', hub.name)
                    ELSE format('It has %s. Add one to hubs.%s.languages and run: fanfare migrate up',
                                array_to_string(hub.languages, ', '), hub.name)
                END),
               ('translations_are_at_most_100',
                ': one statement has more than 100 translations for tag "%2$s" of hub "%1$s"',
                'One content takes 100. Enqueue each content with a statement of its own.'),
               ('locale_is_given_once',
                ': one statement has the same locale twice for tag "%2$s" of hub "%1$s", so it is unclear which '
                'translations belong together',
                'Enqueue each content with a statement of its own, or give each a content_key of its own.'),
               ('language_is_given_once',
                ': %2$s of hub "%1$s", of which a device shows one text',
                format('Leave one out, or make both languages of the hub in hubs.%s.languages and run: fanfare migrate up',
                       hub.name)),
               ('fallback_is_given_once',
                ': %2$s of one statement go to hub "%1$s" as one content, and the devices in its fallback language "'
                || hub.fallback || '" would get either of two texts',
                'If they are one content, leave the row without locale out. If they are two, enqueue each with a '
                'statement of its own, or give each a content_key of its own.'),
               ('translations_fit_one_request',
                ': the translations for tag "%2$s" in the languages of hub "%1$s" may have more than 65,536 bytes '
                'together, which is what one request takes',
                'Every device gets a request with all languages. Send less, or a key under which the app fetches '
                'the rest.'),
               ('the_rest_has_a_property',
                ': for tag "%2$s" of hub "%1$s" neither the fallback language nor a row without locale has a property of the '
                'translations, so devices in other languages would show an empty alert',
                'Give the row in the fallback language, or the one without locale, the properties that the others have.'),
               ('translations_have_a_fallback',
                CASE
                    WHEN hub.fallback IS NULL
                    THEN ': the content for tag "%2$s" of hub "%1$s" has neither every language of the hub nor a row '
                         'without locale, so devices in other languages would show an empty alert'
                    ELSE ': the content for tag "%2$s" of hub "%1$s" has neither the fallback language "'
                         || hub.fallback
                         || '" nor a row without locale, so devices in other languages would show an empty alert'
                END,
                'Put the missing row into the same INSERT, with the same options and send_at (a row with another one is '
                'another content), or give content_key to translations that arrive in several.')
           ) p(rule, message, hint)
     WHERE p.rule = wrong_for_hub.rule
$$;
COMMENT ON FUNCTION push_internal.wrong_for_hub IS 'The problem of a row that breaks a rule of its hub.';
