-- Made by bin/generate from Sources/PushModel/Message/hub_kinds.json: what a post to each kind of hub may hold.

SELECT FROM push_internal.load_hub_kinds($kinds$
[
{"name": "notification-hubs", "label": "Notification Hubs",
  "formats": ["template", "apple", "fcmv1", "windows", "adm", "baidu", "browser", "xiaomi"],
  "handles": 1000, "handle": "device handle", "handle_bytes": 524288,
  "example": "{\"title\": \"Hello\"}",
  "tag": "expression", "tags": 20, "mixed_tags": 6, "folds_case": true,
  "body_bytes": 65536, "takes_templates": true, "headers": ["*"], "takes_languages": true,
  "takes_broadcasts": true, "packs": true, "joins_lives": true, "keeps_devices": true},
{"name": "fcm", "label": "FCM",
  "formats": ["fcmv1"],
  "handles": 1, "handle": "registration token", "handle_bytes": 4096,
  "example": "{\"message\": {\"notification\": {\"title\": \"Hello\"}}}",
  "tag": "topics", "tags": 5, "mixed_tags": 5, "folds_case": false,
  "body_bytes": 4096, "takes_templates": false, "headers": [], "takes_languages": true,
  "takes_broadcasts": true, "packs": false, "joins_lives": false, "keeps_devices": false},
{"name": "apns", "label": "APNs",
  "formats": ["apple"],
  "handles": 1, "handle": "device token", "handle_bytes": 200,
  "example": "{\"aps\": {\"alert\": \"Hello\"}}",
  "tag": "none", "tags": 0, "mixed_tags": 0, "folds_case": false,
  "body_bytes": 5120, "takes_templates": false, "headers": ["apns-*"], "takes_languages": false,
  "takes_broadcasts": false, "packs": false, "joins_lives": false, "keeps_devices": false}
]
$kinds$);
