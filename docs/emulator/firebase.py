"""firebase-admin 7.7.0 against the emulator: a token, topics, a condition, a dry run, subscriptions, and every error class.

    python firebase.py service-account.json

Google's addresses are fixed in the SDK; the two lines below "Here" lead to the emulator.
"""
import json
import sys
import warnings

import firebase_admin
from firebase_admin import credentials, exceptions, messaging

with open(sys.argv[1], encoding="utf-8") as file:
    account = json.load(file)
base = account["token_uri"].removesuffix("/token")

# Here: sends and subscriptions go to the emulator. The access token does so through token_uri.
messaging._MessagingService.FCM_URL = base + "/v1/projects/{0}/messages:send"
messaging._MessagingService.IID_URL = base
app = firebase_admin.initialize_app(credentials.Certificate(account), {"httpTimeout": 20})
messaging._get_messaging_service(app)._fcm_topic_url = f"{base}/v1/projects/{account['project_id']}/registrations"


def shown(name: str) -> str:
    """A message's name without its number."""
    return name.rsplit("/", 1)[0] + "/" + ("fake_message_id" if name.endswith("/fake_message_id") else "ID")


def send(label: str, dry_run: bool = False, **message) -> None:
    try:
        print(f"{label}: {shown(messaging.send(messaging.Message(**message), dry_run=dry_run))}")
    except exceptions.FirebaseError as error:
        print(f"{label}: {type(error).__name__} {error.code}")


welcome = messaging.AndroidConfig(
    notification=messaging.AndroidNotification(title_loc_key="welcome_title", title_loc_args=["Alice"]))
ios = messaging.APNSConfig(payload=messaging.APNSPayload(aps=messaging.Aps(
    alert=messaging.ApsAlert(title_loc_key="welcome_title", title_loc_args=["Alice"]))))

send("token", token="alice", android=welcome, apns=ios)
send("fid", fid="bob", notification=messaging.Notification(title="T", body="B"))
result = messaging.subscribe_to_topic(["alice", "bob", "gone-1"], "Tech")
print("subscribed:", result.success_count, [(error.index, error.reason) for error in result.errors])
send("topic", topic="Tech", android=welcome, apns=ios)
send("condition", condition="'Tech' in topics && !('News' in topics)", android=welcome)
send("dry run", dry_run=True, topic="Tech", data={"k": "v"})
each = messaging.send_each([messaging.Message(token=token, data={"id": token}) for token in ("alice", "gone-2")])
print("each:", each.success_count, [type(r.exception).__name__ for r in each.responses if not r.success])
result = messaging.unsubscribe_from_topic("bob", "Tech")
print("unsubscribed:", result.success_count)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    result = messaging.subscribe_to_topic_legacy(["bob", "gone-3"], "Old")
print("legacy:", result.success_count, [(error.index, error.reason) for error in result.errors])

send("unregistered", token="gone-1", data={"k": "v"})
send("invalid", token="invalid-1", data={"k": "v"})
send("quota", token="throttle-1", data={"k": "v"})
send("mismatch", token="mismatch-1", data={"k": "v"})
send("too large", token="alice", data={"k": "v" * 5_000})
send("reserved", token="alice", data={"from": "v"})
