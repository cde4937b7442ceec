-- Made by bin/generate from Sources/PushModel/Message/hub_kinds.json: what a post to each kind of hub may hold.

SELECT FROM push_internal.load_hub_kinds($kinds$
[
{"name": "notification-hubs", "label": "Notification Hubs",
  "formats": ["template", "apple", "fcmv1", "windows", "adm", "baidu", "browser", "xiaomi"],
  "handles": 1000, "handle": "device handle", "handle_bytes": 524288,
  "tag": "expression", "tags": 20, "mixed_tags": 6, "folds_case": true,
  "body_bytes": 65536, "takes_templates": true, "takes_headers": true, "takes_languages": true,
  "takes_broadcasts": true, "packs": true, "joins_lives": true, "keeps_devices": true},
{"name": "fcm", "label": "FCM",
  "formats": ["fcmv1"],
  "handles": 1, "handle": "registration token", "handle_bytes": 4096,
  "tag": "topics", "tags": 5, "mixed_tags": 5, "folds_case": false,
  "body_bytes": 4096, "takes_templates": false, "takes_headers": false, "takes_languages": true,
  "takes_broadcasts": true, "packs": false, "joins_lives": false, "keeps_devices": false}
]
$kinds$);
