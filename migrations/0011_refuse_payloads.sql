-- Fanfare, migration 11: The rules of native payloads and headers (docs/native-formats.md), as data.

LOCK TABLE push.migration IN EXCLUSIVE MODE;            -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

-- The services behind the hub silently drop what they do not know, so a payload that would never be shown is refused at
-- the INSERT. The rules are written once, here: PushModel compiles this file in and reads the same text
-- (Sources/PushModel/Payloads/PayloadRules.swift). To change a rule, write a new migration with the whole text.
CREATE TABLE push.payload_format (
    name       text COLLATE "C" PRIMARY KEY,
    bytes      int,
    call_bytes int,
    headers    text[] NOT NULL,
    direct     boolean NOT NULL,
    objects    text[] NOT NULL
);
COMMENT ON TABLE push.payload_format IS 'The formats of push.message. Written only by migrations.';
COMMENT ON COLUMN push.payload_format.name IS 'push.message.format.';
COMMENT ON COLUMN push.payload_format.bytes IS 'Bytes of a payload at most; null: a template, limited as a request.';
COMMENT ON COLUMN push.payload_format.call_bytes IS
    'The same for a call, with apns-push-type voip; null: the format has no calls.';
COMMENT ON COLUMN push.payload_format.headers IS
    'Headers that a row may set; case does not count, and * stands for letters and hyphens.';
COMMENT ON COLUMN push.payload_format.direct IS 'True: a row may set them only together with handles.';
COMMENT ON COLUMN push.payload_format.objects IS 'Paths of the objects that have rules.';

CREATE TABLE push.payload_name (
    folded  text COLLATE "C" PRIMARY KEY,
    apple   text COLLATE "C" NOT NULL,
    android text COLLATE "C"
);
COMMENT ON TABLE push.payload_name IS
    'Keys that name a text of the app: each platform knows one spelling, and ignores the others in silence.';
COMMENT ON COLUMN push.payload_name.folded IS 'The key in lower case, without hyphens and underscores.';
COMMENT ON COLUMN push.payload_name.apple IS 'The key in aps.alert.';
COMMENT ON COLUMN push.payload_name.android IS 'The key in message.android.notification; null: Android has none.';

CREATE TABLE push.payload_rule (
    format text COLLATE "C" NOT NULL,
    at     text COLLATE "C" NOT NULL,
    n      int NOT NULL,
    member text COLLATE "C" NOT NULL,
    must   text COLLATE "C" NOT NULL,
    words  text[] NOT NULL,
    wrong  text NOT NULL,
    hint   text NOT NULL,
    PRIMARY KEY (format, at, member, n)
);
COMMENT ON TABLE push.payload_rule IS
    'What a payload must look like. The first broken rule refuses the row. Written only by migrations.';
COMMENT ON COLUMN push.payload_rule.format IS 'push.payload_format.name; header: the headers of every format.';
COMMENT ON COLUMN push.payload_rule.at IS 'Path of the object; empty: the whole payload.';
COMMENT ON COLUMN push.payload_rule.n IS 'Order of the rules.';
COMMENT ON COLUMN push.payload_rule.member IS 'Member that the rule is about; *: each; empty: the object itself.';
COMMENT ON COLUMN push.payload_rule.must IS 'What must hold for the value: push.is_broken.';
COMMENT ON COLUMN push.payload_rule.words IS 'What the value is compared with; spelling: folded and right in pairs.';
COMMENT ON COLUMN push.payload_rule.wrong IS
    'Follows the path of the value: what is wrong with it. {at}: path of the object; {above}: the object around it; '
    '{beside}: path of the missing member; {type}, {bytes}: of the value; {limit}, {format}, {headers}: of the format; '
    '{words}; {apple}, {android}: the right key.';
COMMENT ON COLUMN push.payload_rule.hint IS 'How to fix it, with the same placeholders.';

DO $do$
DECLARE
    rules constant json := $rules$
{
"formats": {
  "template": {"headers": ["apns-*", "X-WNS-*", "X-WindowsPhone-Target", "X-NotificationClass", "X-Baidu-Message-Type",
    "ServiceBusNotification-Apns-Expiry"]},
  "apple": {"bytes": 4096, "call_bytes": 5120, "headers": ["apns-*", "ServiceBusNotification-Apns-Expiry"]},
  "fcmv1": {"bytes": 4096, "headers": []},
  "windows": {"bytes": 5120, "headers": ["X-WNS-*"]},
  "browser": {"bytes": 4096, "headers": ["Auth", "P256DH"], "direct": true},
  "adm": {"bytes": 6144, "headers": []}, "xiaomi": {"bytes": 4096, "headers": []},
  "baidu": {"bytes": 4096, "headers": ["X-Baidu-Message-Type"]}
},
"names": [
  {"apple": "title-loc-key", "android": "title_loc_key"}, {"apple": "title-loc-args", "android": "title_loc_args"},
  {"apple": "subtitle-loc-key"}, {"apple": "subtitle-loc-args"},
  {"apple": "loc-key", "android": "body_loc_key"}, {"apple": "loc-args", "android": "body_loc_args"},
  {"also": "bodylockey", "apple": "loc-key", "android": "body_loc_key"},
  {"also": "bodylocargs", "apple": "loc-args", "android": "body_loc_args"}
],
"parts": {"apple": {"fcmv1": "message.apns.payload"}},
"rules": [
{"for": ["apple", "fcmv1", "adm", "baidu", "browser", "xiaomi"], "must": "be of type", "words": ["object"],
  "wrong": "is a JSON {type}; a payload for {format} is an object", "hint": "Write {...}."},
{"for": ["apple"], "must": "have", "words": ["aps"], "wrong": "is missing",
  "hint": "A payload for apple is {\"aps\": {...}}."},
{"for": ["apple"], "members": ["aps"], "must": "be of type", "words": ["object"],
  "wrong": "is a JSON {type}, not an object", "hint": "A payload for apple is {\"aps\": {...}}."},
{"for": ["apple"], "at": "aps", "members": ["alert"], "must": "be of type", "words": ["string", "object"],
  "wrong": "is a JSON {type}, neither a string nor an object",
  "hint": "Write \"alert\": \"...\" or \"alert\": {\"title\": \"...\", \"body\": \"...\"}."},
{"for": ["apple"], "at": "aps.alert", "members": ["category"], "must": "not exist",
  "wrong": "belongs beside the alert", "hint": "Write {above}.category."},
{"for": ["apple"], "at": "aps.alert", "members": ["*"], "must": "be spelled", "names": "apple",
  "wrong": "is unknown to Apple", "hint": "Write {at}.{apple}."},
{"for": ["apple"], "at": "aps.alert", "members": ["title", "subtitle", "body", "title-loc-key", "subtitle-loc-key",
  "loc-key", "launch-image"], "must": "be of type", "words": ["string"], "wrong": "is a JSON {type}, not a string",
  "hint": "Put it in quotation marks."},
{"for": ["apple"], "at": "aps.alert", "members": ["title-loc-args", "subtitle-loc-args", "loc-args"],
  "must": "stand beside", "words": ["args", "key"], "wrong": "stands without {beside}, whose arguments it lists",
  "hint": "Add {beside}."},
{"for": ["apple"], "at": "aps.alert", "members": ["title-loc-args", "subtitle-loc-args", "loc-args"],
  "must": "be of type", "words": ["array"], "wrong": "is a JSON {type}, not an array of strings",
  "hint": "Write [\"...\", \"...\"]."},
{"for": ["apple"], "at": "aps.alert", "members": ["title-loc-args", "subtitle-loc-args", "loc-args"],
  "must": "list strings", "wrong": "is a JSON {type}; arguments are strings", "hint": "A number is written \"3\"."},
{"for": ["apple"], "at": "aps", "members": ["*"], "must": "not be spelled", "names": "apple",
  "wrong": "belongs in the alert", "hint": "Write {at}.alert.{apple}."},
{"for": ["apple"], "at": "aps", "members": ["category", "thread-id", "interruption-level"], "must": "be of type",
  "words": ["string"], "wrong": "is a JSON {type}, not a string", "hint": "Put it in quotation marks."},
{"for": ["apple"], "at": "aps", "members": ["category"], "must": "not equal", "words": [""], "wrong": "is empty",
  "hint": "It names a category that the app registered; leave it out for none."},
{"for": ["apple"], "at": "aps", "members": ["badge"], "must": "be of type", "words": ["number"],
  "wrong": "is not a whole number from 0", "hint": "Write it without quotation marks; 0 removes the badge."},
{"for": ["apple"], "at": "aps", "members": ["badge"], "must": "be digits", "wrong": "is not a whole number from 0",
  "hint": "Write it without quotation marks; 0 removes the badge."},
{"for": ["apple"], "at": "aps", "members": ["sound"], "must": "be of type", "words": ["string", "object"],
  "wrong": "is a JSON {type}, neither a string nor an object", "hint": "Write \"sound\": \"default\"."},
{"for": ["apple"], "at": "aps", "members": ["content-available", "mutable-content"], "must": "be of type",
  "words": ["number"], "wrong": "is neither 0 nor 1", "hint": "Write 1, without quotation marks."},
{"for": ["apple"], "at": "aps", "members": ["content-available", "mutable-content"], "must": "equal", "words": ["0",
  "1"], "wrong": "is neither 0 nor 1", "hint": "Write 1, without quotation marks."},
{"for": ["apple"], "at": "aps", "members": ["interruption-level"], "must": "equal", "words": ["passive", "active",
  "time-sensitive", "critical"], "wrong": "is not passive, active, time-sensitive or critical",
  "hint": "Leave it out for active."},
{"for": ["apple"], "at": "aps", "members": ["relevance-score"], "must": "be of type", "words": ["number"],
  "wrong": "is a JSON {type}, not a number", "hint": "It is between 0 and 1."},
{"for": ["fcmv1"], "must": "have", "words": ["message"], "wrong": "is missing",
  "hint": "A payload for fcmv1 is {\"message\": {...}}."},
{"for": ["fcmv1"], "members": ["message"], "must": "be of type", "words": ["object"],
  "wrong": "is a JSON {type}, not an object", "hint": "A payload for fcmv1 is {\"message\": {...}}."},
{"for": ["fcmv1"], "at": "message", "members": ["token", "topic", "condition"], "must": "not exist",
  "wrong": "cannot be set: the hub sets the target",
  "hint": "Leave it out; the row's tag or handles name the target."},
{"for": ["fcmv1"], "at": "message", "members": ["data"], "must": "be of type", "words": ["object"],
  "wrong": "is a JSON {type}, not an object", "hint": "It is an object of strings."},
{"for": ["fcmv1"], "at": "message.data", "members": ["*"], "must": "be of type", "words": ["string"],
  "wrong": "is a JSON {type}; every value in {at} is a string", "hint": "Put it in quotation marks."},
{"for": ["fcmv1"], "at": "message", "members": ["notification", "android", "apns"], "must": "be of type",
  "words": ["object"], "wrong": "is a JSON {type}, not an object", "hint": "Write {...}."},
{"for": ["fcmv1"], "at": "message.notification", "members": ["*"], "must": "not be spelled", "names": "android",
  "wrong": "belongs to message.android.notification",
  "hint": "Write message.android.notification.{android} and message.apns.payload.aps.alert.{apple}."},
{"for": ["fcmv1"], "at": "message.notification", "members": ["*"], "must": "not be spelled", "names": "apple",
  "wrong": "belongs to message.apns.payload.aps.alert", "hint": "Write message.apns.payload.aps.alert.{apple}."},
{"for": ["fcmv1"], "at": "message.notification", "members": ["title", "body", "image"], "must": "be of type",
  "words": ["string"], "wrong": "is a JSON {type}, not a string", "hint": "Put it in quotation marks."},
{"for": ["fcmv1"], "at": "message.android", "members": ["priority", "ttl"], "must": "be of type", "words": ["string"],
  "wrong": "is a JSON {type}, not a string", "hint": "Put it in quotation marks."},
{"for": ["fcmv1"], "at": "message.android", "members": ["priority"], "must": "equal in any case", "words": ["normal",
  "high"], "wrong": "is neither NORMAL nor HIGH", "hint": "HIGH wakes the device."},
{"for": ["fcmv1"], "at": "message.android", "members": ["ttl"], "must": "be seconds", "wrong": "is not a duration",
  "hint": "Write seconds such as \"3600s\"."},
{"for": ["fcmv1"], "at": "message.android", "members": ["notification"], "must": "be of type", "words": ["object"],
  "wrong": "is a JSON {type}, not an object", "hint": "Write {...}."},
{"for": ["fcmv1"], "at": "message.android.notification", "members": ["*"], "must": "be spelled", "names": "android",
  "wrong": "is not what Android calls it", "hint": "Write {at}.{android}."},
{"for": ["fcmv1"], "at": "message.android.notification", "members": ["title_loc_key", "body_loc_key"],
  "must": "be of type", "words": ["string"], "wrong": "is a JSON {type}, not a string",
  "hint": "Put it in quotation marks."},
{"for": ["fcmv1"], "at": "message.android.notification", "members": ["title_loc_args", "body_loc_args"],
  "must": "stand beside", "words": ["args", "key"], "wrong": "stands without {beside}, whose arguments it lists",
  "hint": "Add {beside}."},
{"for": ["fcmv1"], "at": "message.android.notification", "members": ["title_loc_args", "body_loc_args"],
  "must": "be of type", "words": ["array"], "wrong": "is a JSON {type}, not an array of strings",
  "hint": "Write [\"...\", \"...\"]."},
{"for": ["fcmv1"], "at": "message.android.notification", "members": ["title_loc_args", "body_loc_args"],
  "must": "list strings", "wrong": "is a JSON {type}; arguments are strings", "hint": "A number is written \"3\"."},
{"for": ["fcmv1"], "at": "message.apns", "members": ["payload"], "must": "be of type", "words": ["object"],
  "wrong": "is a JSON {type}, not an object", "hint": "Write {\"aps\": {...}}."},
{"for": ["adm"], "must": "have", "words": ["data"], "wrong": "is missing",
  "hint": "A payload for adm is {\"data\": {...}}."},
{"for": ["adm"], "members": ["data"], "must": "be of type", "words": ["object"],
  "wrong": "is a JSON {type}, not an object", "hint": "It is an object of strings."},
{"for": ["adm"], "at": "data", "members": ["*"], "must": "be of type", "words": ["string"],
  "wrong": "is a JSON {type}; every value in {at} is a string", "hint": "Put it in quotation marks."},
{"for": ["windows"], "must": "be of type", "words": ["string", "object", "array", "number", "boolean"],
  "wrong": "is a JSON null, which stands for an erased content", "hint": "Write the payload as a JSON string."},
{"for": ["windows"], "must": "be XML", "wrong": "is not a JSON string with XML",
  "hint": "Write \"<toast>...</toast>\" as a JSON string; for anything else set the header X-WNS-Type to wns/raw."},
{"for": ["windows"], "must": "have the root", "words": ["toast", "tile", "badge"],
  "wrong": "has a root element other than toast, tile and badge, and no header X-WNS-Type",
  "hint": "Set headers to {\"X-WNS-Type\": \"wns/toast\"}, or to its type."},
{"for": ["apple", "fcmv1", "windows", "adm", "baidu", "browser", "xiaomi"], "must": "fit the format",
  "wrong": "has {bytes} bytes, a payload for {format} takes at most {limit}",
  "hint": "Send less, or a key under which the app fetches the rest."},
{"for": ["header"], "must": "be of type", "words": ["object"], "wrong": "is a JSON {type}, not an object",
  "hint": "Write {\"apns-priority\": \"5\"}."},
{"for": ["header"], "must": "have at most bytes", "words": ["4096"], "wrong": "has {bytes} bytes, 4,096 are allowed",
  "hint": "Leave some out."},
{"for": ["header"], "must": "have each name once", "wrong": "has a name twice (case does not count)",
  "hint": "Leave one of them out."},
{"for": ["header"], "members": ["*"], "must": "be among the first", "words": ["32"],
  "wrong": "is one too many, 32 are allowed", "hint": "Leave some out."},
{"for": ["header"], "members": ["*"], "must": "be allowed",
  "wrong": "is not a header that a message of format {format} may set", "hint": "Format {format} takes: {headers}."},
{"for": ["header"], "members": ["*"], "must": "be of type", "words": ["string"],
  "wrong": "is a JSON {type}; header values are strings", "hint": "Put it in quotation marks."},
{"for": ["header"], "members": ["*"], "must": "be printable", "words": ["1024"],
  "wrong": "is blank, longer than 1,024 or holds a character outside printable ASCII",
  "hint": "Write 1 to 1,024 visible ASCII characters and blanks."},
{"for": ["header"], "members": ["apns-priority"], "must": "equal", "words": ["1", "5", "10"],
  "wrong": "is not 1, 5 or 10", "hint": "10 shows it at once, 5 spares the battery."},
{"for": ["header"], "members": ["apns-expiration"], "must": "be digits", "wrong": "is not a whole number",
  "hint": "Write seconds since 1970, or 0 for one attempt."},
{"for": ["header"], "members": ["apns-push-type"], "must": "equal", "words": ["alert", "background", "voip",
  "complication", "fileprovider", "mdm", "location", "liveactivity", "pushtotalk", "widgets"],
  "wrong": "is not a push type of Apple", "hint": "One of {words}."},
{"for": ["header"], "members": ["apns-collapse-id"], "must": "have at most bytes", "words": ["64"],
  "wrong": "is {bytes} bytes long, Apple takes 64", "hint": "Shorten it, or send a hash of it."},
{"for": ["header"], "members": ["x-wns-type"], "must": "equal", "words": ["wns/toast", "wns/tile", "wns/badge",
  "wns/raw"], "wrong": "is not a type of WNS", "hint": "One of {words}."}
]}
$rules$;
BEGIN
    INSERT INTO push.payload_name (folded, apple, android)
    SELECT coalesce(n.also, translate(n.apple, '-', '')), n.apple, n.android
      FROM json_to_recordset(rules -> 'names') n(also text, apple text, android text);
    INSERT INTO push.payload_rule (format, at, n, member, must, words, wrong, hint)
    SELECT f.format, concat_ws('.', f.prefix, r.at), i.n, m.member, r.must,
           CASE
               WHEN r.names IS NULL THEN coalesce(r.words, '{}')
               ELSE ARRAY(SELECT unnest(ARRAY[n.folded, CASE r.names WHEN 'apple' THEN n.apple ELSE n.android END])
                            FROM push.payload_name n
                           WHERE r.names = 'apple' OR n.android IS NOT NULL)
           END,
           r.wrong, r.hint
      FROM json_array_elements(rules -> 'rules') WITH ORDINALITY i(rule, n),
           json_to_record(i.rule)
               r("for" text[], at text, members text[], must text, words text[], names text, wrong text, hint text),
           LATERAL (
               SELECT o.format, NULL
                 FROM unnest(r."for") o(format)
                UNION ALL                     -- the rules of a format that is a part of another one
               SELECT p.key, p.value
                 FROM json_each_text(rules -> 'parts' -> r."for"[1]) p
                WHERE cardinality(r."for") = 1) f(format, prefix),
           unnest(coalesce(r.members, '{""}')) m(member);
    INSERT INTO push.payload_format (name, bytes, call_bytes, headers, direct, objects)
    SELECT f.name, r.bytes, r.call_bytes, r.headers, coalesce(r.direct, false),
           ARRAY(SELECT DISTINCT o.at FROM push.payload_rule o WHERE o.format = f.name ORDER BY o.at)
      FROM json_each(rules -> 'formats') f(name, value),
           json_to_record(f.value) r(bytes int, call_bytes int, headers text[], direct boolean);
END $do$;

INSERT INTO push.migration (version, name, works_from) VALUES (11, 'refuse_payloads', 36);
