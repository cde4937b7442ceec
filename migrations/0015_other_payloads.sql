-- Fanfare, migration 15: What payloads for all other platforms, and headers, look like.

LOCK TABLE push.migration IN EXCLUSIVE MODE;            -- one migration at a time, until the end of the transaction
SET LOCAL lock_timeout = '5s';

SELECT push.load_payload_rules($rules$
{
"formats": {
  "template": {"headers": ["apns-*", "X-WNS-*", "X-WindowsPhone-Target", "X-NotificationClass", "X-Baidu-Message-Type",
    "ServiceBusNotification-Apns-Expiry"]},
  "windows": {"bytes": 5120, "headers": ["X-WNS-*"]},
  "browser": {"bytes": 4096, "headers": ["Auth", "P256DH"], "direct": true},
  "adm": {"bytes": 6144, "headers": []},
  "xiaomi": {"bytes": 4096, "headers": []},
  "baidu": {"bytes": 4096, "headers": ["X-Baidu-Message-Type"]}
},
"rules": [
{"for": ["adm", "baidu", "browser", "xiaomi"], "must": "be of type", "words": ["object"],
  "wrong": "is a JSON {type}; a payload for {format} is an object", "hint": "Write {...}."},
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
{"for": ["header"], "members": ["apns-priority"], "must": "equal if", "words": ["5", "apns-push-type", "background"],
  "wrong": "is not 5, and a background push takes no other", "hint": "Write \"5\"."},
{"for": ["header"], "members": ["apns-expiration"], "must": "be digits", "wrong": "is not a whole number",
  "hint": "Write seconds since 1970, or 0 for one attempt."},
{"for": ["header"], "members": ["apns-push-type"], "must": "equal", "words": ["alert", "background", "controls",
  "complication", "fileprovider", "liveactivity", "location", "mdm", "pushtotalk", "voip", "widgets"],
  "wrong": "is not a push type of Apple", "hint": "One of {words}."},
{"for": ["header"], "members": ["apns-collapse-id"], "must": "have at most bytes", "words": ["64"],
  "wrong": "is {bytes} bytes long, Apple takes 64", "hint": "Shorten it, or send a hash of it."},
{"for": ["header"], "members": ["x-wns-type"], "must": "equal",
  "words": ["wns/toast", "wns/tile", "wns/badge", "wns/raw"], "wrong": "is not a type of WNS",
  "hint": "One of {words}."},
{"for": ["header"], "members": ["apns-id"], "must": "match",
  "words": ["[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"], "wrong": "is not a UUID in lower case",
  "hint": "Leave it out, and APNs makes one."}
]}
$rules$);

INSERT INTO push.migration (version, name, works_from) VALUES (15, 'other_payloads', 61);
